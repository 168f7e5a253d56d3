/// The state of a node: enough to see whether it is well.
public struct NodeStatus: Hashable, Sendable {
  /// The time since its start.
  public var uptime: Duration = .zero
  /// Open connections.
  public var clients = 0
  /// Connections since the start.
  public var clientsTotal: UInt64 = 0
  /// Connections that were refused since the start: beyond a limit, or with another protocol.
  public var clientsRefused: UInt64 = 0
  /// Calls that run, including cancelled ones that have not returned.
  public var calls = 0
  /// Calls since the start.
  public var callsTotal: UInt64 = 0
  /// Calls that failed since the start, other than by a cancellation.
  public var callsFailed: UInt64 = 0
  /// Leases that are held.
  public var leases = 0
  /// Frames of all subscriptions that newer ones replaced, since the start.
  public var framesDiscarded: UInt64 = 0
  /// Open file descriptors of the process.
  public var descriptors = 0
  /// How many descriptors the process can have.
  public var descriptorsLimit: UInt64 = 0
  /// Memory of the process that is in use now, in bytes.
  public var residentBytes: UInt64 = 0
  /// Threads of the process.
  public var threads = 0
  /// User and system time of the process since its start.
  public var processorTime: Duration = .zero
  /// The cameras, by index.
  public var cameras: [CameraStatus] = []
  /// Why the node cannot write its state file. Until it can, what clients set holds only until the node ends. `nil`: the node can write it, or is to
  /// keep none.
  public var stateFailure: StateFailure?
  /// What an administrator should know of the node, for a person.
  public var warnings: [String] = []
  /// Who takes frames now of the cameras that the caller sees. Those who began first come first.
  public var viewers: [Viewer] = []

  public init() {}

  /// A state that cannot be written.
  public struct StateFailure: Hashable, Sendable {
    /// The file, and why it cannot be written.
    public var message: String
    /// The time since the first write that failed, or since the node's start.
    public var age: Duration

    public init(message: String, age: Duration) { (self.message, self.age) = (message, age) }
  }
}
