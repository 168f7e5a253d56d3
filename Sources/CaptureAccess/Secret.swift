public import CaptureTLS

/// The secret by which a client proves who it is: 256 random bits that the client has made. The node keeps only its SHA-256. No description shows the
/// secret.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  /// 32 bytes.
  public static let count = 32
  /// The secret itself. It goes only into the file that keeps it, and to a node whose key is known.
  public let bytes: [UInt8]

  /// Makes a new secret of the system's random bytes.
  public static func make() -> Secret { Secret(bytes: RandomBytes.make(count))! }

  /// A secret that was kept; `nil`: not 32 bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  /// Reads 64 hexadecimal digits, as a file has them; `nil`: the text is something else.
  public init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// 64 digits, for its owner's file alone.
  public var hexadecimal: String { bytes.hexadecimal }
  /// Its SHA-256, which is all that a node keeps.
  public var digest: Digest { Digest(of: bytes) }
  /// "(a secret)"
  public var description: String { "(a secret)" }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
