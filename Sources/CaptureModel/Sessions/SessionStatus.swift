/// How a session is.
public struct SessionStatus: Hashable, Sendable {
  /// What it was called, or what the node calls it.
  public var name: String
  /// Outlives its owner's connection.
  public var isNamed: Bool
  public var isRunning = false
  /// Rises with each change.
  public var revision: UInt64 = 0
  public var configuration: SessionConfiguration
  /// What the inputs run at, in their order; `nil`: that one does not run.
  public var activeFormats: [ActiveFormat?] = []
  /// Why it gives no frames though it runs.
  public var interruption: String?
  /// Why it stopped by itself, since it was started last.
  public var error: CaptureError?
  public var subscribers = 0
  /// Who made it, for a person.
  public var owner: String

  public init(name: String, isNamed: Bool, configuration: SessionConfiguration, owner: String) {
    self.name = name
    self.isNamed = isNamed
    self.configuration = configuration
    self.owner = owner
  }
}

/// What happens to a session. `AVCaptureSession`'s notifications.
public struct SessionEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// How it is, when one began to listen, or where events were left out.
    case status
    case started
    case stopped
    case configured
    /// It stopped by itself.
    case runtimeError
    case interrupted(Interruption)
    case interruptionEnded
    case closed
  }

  /// Why a session that runs gives no frames.
  public enum Interruption: Hashable, Sendable {
    case cameraUnplugged
    /// Another program has it.
    case cameraInUse
    case nodeDraining
    /// It gives no frames; its stream is being restarted.
    case cameraSilent
  }

  public var kind: Kind
  /// For a person.
  public var text: String
  public var status: SessionStatus

  public init(_ kind: Kind, text: String = "", status: SessionStatus) {
    self.kind = kind
    self.text = text
    self.status = status
  }
}
