import CaptureSystem
import CaptureWire
import Glibc

/// What a node allows its clients. Times are in nanoseconds.
public struct NodeLimits: Sendable {
  /// Connections in all, and of one address: of IPv6 the first 64 bits, of Unix sockets the user.
  public var maxConnections = 1_024
  public var maxConnectionsPerAddress = 256
  /// Packets' parts towards the node.
  public var packets = PacketLimits.node
  /// Handlers running at once on a connection.
  public var maxCalls = 100
  /// Messages of a client stream ahead of its handler.
  public var initialCredit: UInt32 = 4
  /// Cancelled calls at once, and a second, on a connection.
  public var cancelBurst = 500
  public var cancelsPerSecond = 100
  /// The same of all connections of one address, beyond the few that are each connection's own.
  public var cancelBurstPerAddress = 2_000
  public var cancelsPerSecondPerAddress = 400
  public var helloTimeout: Duration = .seconds(5)
  /// Silence before a Ping, and time for its answer.
  public var keepaliveIdle: Duration = .seconds(30)
  public var keepalivePatience: Duration = .seconds(10)

  public init() {}
}

/// How a node serves.
public struct NodeConfiguration: Sendable {
  public var limits = NodeLimits()
  /// Who speaks: "capture-node/0.1.0".
  public var agent = "capture-node"
  /// Permissions of a Unix socket that it makes.
  public var unixMode: UInt32 = 0o600
  /// Loops that connections are spread over: 1 or 2. Usually one for each processor.
  public var loops = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// Hears of clients, from the loops: must not block.
  public var report: @Sendable (ServerNotice) -> Void = { _ in }
  /// Hears of each client that has gone, by its connection's number, from the loops and after its calls were cancelled: must not block.
  public var connectionClosed: @Sendable (UInt64) -> Void = { _ in }
  /// `report` hears of every call too.
  public var reportsCalls = false

  public init() {}

  var connection: ServerConnectionState.Configuration {
    var state = ServerConnectionState.Configuration()
    state.limits = limits.packets
    state.agent = agent
    state.bootID = MonotonicClock.bootID
    state.maxCalls = limits.maxCalls
    state.initialCredit = limits.initialCredit
    state.helloTimeout = limits.helloTimeout.nanoseconds
    state.keepaliveIdle = limits.keepaliveIdle.nanoseconds
    state.keepalivePatience = limits.keepalivePatience.nanoseconds
    state.cancelBurst = limits.cancelBurst
    state.cancelsPerSecond = limits.cancelsPerSecond
    return state
  }
}

/// What a node's transport counts.
public struct NodeStatistics: Hashable, Sendable {
  /// Connections now, since the start, and refused: past the caps, or not speaking the protocol.
  public var clients = 0
  public var clientsTotal: UInt64 = 0
  public var clientsRefused: UInt64 = 0
  /// Handlers running now, calls since the start, and those that did not end in OK.
  public var calls = 0
  public var callsTotal: UInt64 = 0
  public var callsFailed: UInt64 = 0
  /// Frames replaced or aborted because their client was slow.
  public var discarded: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var bytesReceived: UInt64 = 0

  public init() {}
}
