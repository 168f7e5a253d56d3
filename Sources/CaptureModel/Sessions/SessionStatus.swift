/// The state of a session.
public struct SessionStatus: Hashable, Sendable {
  /// The name that its client gave it, or else the name that the node gave it.
  public var name: String
  /// Whether it outlives its owner's connection.
  public var isNamed: Bool
  /// Whether it was started (`AVCaptureSession.isRunning`). It may be interrupted all the same.
  public var isRunning = false
  /// A number that rises with each change of the session.
  public var revision: UInt64 = 0
  /// Its inputs, outputs and connections. Cameras have their identities as names.
  public var configuration: SessionConfiguration
  /// The formats of the inputs, in their order; `nil`: that input does not run.
  public var activeFormats: [ActiveFormat?] = []
  /// What the connections can do, in their order. Empty while the session waits for its cameras.
  public var connectionLimits: [ConnectionLimits] = []
  /// Why the session gives no frames although it runs.
  public var interruption: String?
  /// Why it stopped by itself after it was last started.
  public var error: CaptureError?
  /// How many streams of frames go to clients.
  public var subscribers = 0
  /// The client that made it, for a person.
  public var owner: String

  public init(name: String, isNamed: Bool, configuration: SessionConfiguration, owner: String) {
    self.name = name
    self.isNamed = isNamed
    self.configuration = configuration
    self.owner = owner
  }
}

/// An event of a session. `AVCaptureSession`'s notifications.
public struct SessionEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// The present state: the first event for each listener, and the event in place of others that were left out.
    case status
    /// `AVCaptureSessionDidStartRunning`.
    case started
    /// `AVCaptureSessionDidStopRunning`.
    case stopped
    /// Somebody changed the configuration, or made the session.
    case configured
    /// The session stopped by itself.
    case runtimeError
    /// It runs, and gives no frames (`AVCaptureSessionWasInterrupted`).
    case interrupted(Interruption)
    /// `AVCaptureSessionInterruptionEnded`.
    case interruptionEnded
    /// It is gone. No other event follows.
    case closed
  }

  /// Why a session that runs gives no frames.
  public enum Interruption: Hashable, Sendable {
    /// The camera is not there now.
    case cameraUnplugged
    /// Another program has the camera.
    case cameraInUse
    /// The node is ending.
    case nodeDraining
    /// The camera gives no frames, its driver does not answer, or its stream does not start. The stream is started again as soon as that is possible.
    case cameraSilent
  }

  /// What happened.
  public var kind: Kind
  /// For a person.
  public var text: String
  /// The session after the event.
  public var status: SessionStatus

  public init(_ kind: Kind, text: String = "", status: SessionStatus) {
    self.kind = kind
    self.text = text
    self.status = status
  }
}
