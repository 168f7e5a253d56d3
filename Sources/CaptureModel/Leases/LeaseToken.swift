/// The secret that gives the right to change a camera: 128 random bits, in hexadecimal.
///
/// The node reveals the token only to the client that acquired the lease, and accepts it from that client alone, on any of its connections. The
/// client may be a user of the node's machine.
public struct LeaseToken: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  /// At a node: to whom the token was given, as ``Lease/owner``. Tokens with different owners are different tokens.
  package private(set) var owner = ""

  public init(rawValue: String) { self.rawValue = rawValue }

  package init(rawValue: String, of owner: String) { (self.rawValue, self.owner) = (rawValue, owner) }

  // The `==` and `hash` that come with RawRepresentable look at the raw values alone.
  public static func == (one: Self, other: Self) -> Bool {
    (one.rawValue, one.owner) == (other.rawValue, other.owner)
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
    hasher.combine(owner)
  }

  /// Makes a new token. The system's generator uses `getrandom(2)`.
  public static func random() -> LeaseToken { random(of: "") }

  package static func random(of owner: String) -> LeaseToken {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ in
      let text = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return LeaseToken(rawValue: digits.joined(), of: owner)
  }
}
