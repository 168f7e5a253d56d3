/// Something about clients that whoever runs the node should hear of.
public struct ServerNotice: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// A client was turned away: a cap, another protocol, a broken rule.
    case refused
    /// A client was gone while it had calls open.
    case vanished
    /// A call ended.
    case call
  }
  public var kind: Kind
  /// Who and what, for a person.
  public var text: String
}
