import CaptureModel

/// The state of a named session that a node keeps across its own restarts.
public struct SessionMemory: Hashable, Sendable, Codable {
  public var configuration: SessionConfiguration
  /// Whether it was started, and not stopped.
  public var isRunning: Bool
  /// The client that made it, for a person.
  public var owner: String
  /// Its name in access control; `nil`: it has none.
  public var client: String?

  public init(
    _ configuration: SessionConfiguration, isRunning: Bool, owner: String, client: String? = nil
  ) {
    (self.configuration, self.isRunning) = (configuration, isRunning)
    (self.owner, self.client) = (owner, client)
  }
}
