/// The secret that gives the right to change a camera: 128 random bits, in hexadecimal.
///
/// The node reveals it only to the client that acquired it, and takes it from no other, on whatever connection. Users of the node's machine count as one.
public struct LeaseToken: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  /// At a node: the name in access control of the client to which it was given; `nil`: it is none. A token of another client is another token.
  package private(set) var client: String?

  public init(rawValue: String) { self.rawValue = rawValue }

  package init(rawValue: String, of client: String?) { (self.rawValue, self.client) = (rawValue, client) }

  // Those that come with RawRepresentable would compare the raw values alone.
  public static func == (one: Self, other: Self) -> Bool {
    (one.rawValue, one.client) == (other.rawValue, other.client)
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rawValue)
    hasher.combine(client)
  }

  /// Makes a new token. The system's generator uses `getrandom(2)`.
  public static func random() -> LeaseToken { random(of: nil) }

  package static func random(of client: String?) -> LeaseToken {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<2).map { _ in
      let text = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return LeaseToken(rawValue: digits.joined(), of: client)
  }
}
