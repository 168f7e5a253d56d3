/// News of clients for the node's log.
public struct ServerNotice: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The node refused a client: a limit, another protocol, a broken rule.
    case refused
    /// A listener accepts nobody until descriptors, or memory, are free again.
    case paused
    /// A client went away while it had open calls.
    case vanished
    /// A call ended.
    case call
  }
  public var kind: Kind
  /// The client, or the listener's address, and the event, for a person.
  public var text: String
}
