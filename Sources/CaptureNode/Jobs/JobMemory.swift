import CaptureModel

/// What a node keeps of a job across its own restarts.
public struct JobMemory: Hashable, Sendable, Codable {
  /// What a job is doing.
  public enum State: String, Hashable, Sendable, Codable { case running, done, stopped }

  public var state = State.running
  /// The settings of the job: a message of the contract, in hexadecimal digits.
  public var settings: String
  /// The client that began the job, by its name in access control; `nil`: no client did.
  public var client: String?
  /// The user of the node's machine who began the job, as "user 1000"; `nil`: a client did, or nobody knows who.
  public var user: String?
  /// Whether the job goes on after its client was revoked, as an administrator has decided; `nil`: nobody has decided.
  public var outlivesClient: Bool?
  /// The time of the first tick, in nanoseconds of UTC. In the boot ``boot`` it follows the clock when that is set.
  public var startedUTC: Int64
  /// The time of the first tick, in nanoseconds of `CLOCK_MONOTONIC` in the boot ``boot``.
  public var started: Int64
  /// The boot in which the job was started, by the kernel's identifier.
  public var boot: String
  /// The latest tick that was done, missed or failed; `nil`: none was.
  public var tick: UInt64?
  public var done: UInt64 = 0
  public var missed: UInt64 = 0
  public var missedLast: UInt64 = 0
  public var failed: UInt64 = 0
  public var lastAsset = ""
  public var lastError = ""
  /// The modes that the camera gets back when the job ends; `nil`: the job has changed none, or they are back.
  public var modes: Modes?

  /// The modes of a camera that a job has locked, or is about to lock.
  public struct Modes: Hashable, Sendable, Codable {
    public var exposure: String?
    public var whiteBalance: String?
    /// Whether the job is about to lock them. If the node ended meanwhile, or the driver has not answered, they are locked or not. `nil`: they are
    /// locked.
    public var isToBeLocked: Bool?

    public init(exposure: String?, whiteBalance: String?, isToBeLocked: Bool? = nil) {
      (self.exposure, self.whiteBalance, self.isToBeLocked) = (exposure, whiteBalance, isToBeLocked)
    }
  }

  /// The client or the user who began the job. Empty: nobody knows.
  var owner: String { client ?? user ?? "" }

  public init(settings: String, startedUTC: Int64, started: Int64, boot: String) {
    (self.settings, self.startedUTC, self.started, self.boot) = (settings, startedUTC, started, boot)
  }
}

/// Stores what a node must not forget of its jobs.
public protocol JobStore: Sendable {
  /// The stored jobs, by name.
  var jobs: [String: JobMemory] { get }
  /// Stores a job soon; `nil` removes it. Any thread may call it; it never waits.
  func save(_ job: JobMemory?, job name: String)
  /// Returns once everything that was stored would survive a power cut. Throws `unavailable`, with the reason, where it would not.
  nonisolated(nonsending) func flush() async throws(CaptureError)
}
