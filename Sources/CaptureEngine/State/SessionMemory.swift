import CaptureModel

/// What a node keeps of a session with a name across its own restarts.
public struct SessionMemory: Hashable, Sendable, Codable {
  public var configuration: SessionConfiguration
  /// It was started, and not stopped.
  public var isRunning: Bool
  /// Who made it, for a person.
  public var owner: String

  public init(_ configuration: SessionConfiguration, isRunning: Bool, owner: String) {
    (self.configuration, self.isRunning, self.owner) = (configuration, isRunning, owner)
  }
}
