public import CaptureTLS

/// What a client proves itself with: 256 bits that it made itself. The node keeps only the SHA-256. No description shows it.
public struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
  /// 32 bytes.
  public static let count = 32
  /// The secret itself. It is for the file that keeps it, and for a node whose key is known.
  public let bytes: [UInt8]

  /// Another one, of the system's random bytes.
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
