/// The secret that gives the right to change a camera: 128 random bits, in hexadecimal.
///
/// Whoever has it may use it, on any connection. The node reveals it only to the client that acquired it.
public struct LeaseToken: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a new token. The system's generator uses `getrandom(2)`.
  public static func random() -> LeaseToken {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ in
      let text = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return LeaseToken(rawValue: digits.joined())
  }
}
