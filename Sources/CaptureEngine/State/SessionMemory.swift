import CaptureModel

/// The state of a named session that a node keeps across its own restarts.
public struct SessionMemory: Hashable, Sendable, Codable {
  public var configuration: SessionConfiguration
  /// Whether the session was started, and not stopped.
  public var isRunning: Bool
  /// The client that made the session, for a person.
  public var owner: String
  /// The client's name in access control; `nil`: it has none.
  public var client: String?

  public init(
    _ configuration: SessionConfiguration, isRunning: Bool, owner: String, client: String? = nil
  ) {
    (self.configuration, self.isRunning) = (configuration, isRunning)
    (self.owner, self.client) = (owner, client)
  }
}
