public import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// How a node serves.
public struct NodeConfiguration: Sendable {
  /// What clients may make grow.
  public var limits = NodeLimits()
  public var helloTimeout: Duration = .seconds(5)
  /// Silence before a Ping, and time for its answer.
  public var keepaliveIdle: Duration = .seconds(30)
  public var keepalivePatience: Duration = .seconds(10)
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
  /// Hears that a call or a connection has ended, from the loops: must not block.
  public var workEnded: @Sendable () -> Void = {}
  /// `report` hears of every call too.
  public var reportsCalls = false

  public init() {}

  /// Packets' parts towards the node.
  var packets: PacketLimits { PacketLimits(envelope: limits[.envelopeBytes], chunk: limits[.chunkBytes]) }

  var connection: ServerConnectionState.Configuration {
    var state = ServerConnectionState.Configuration()
    state.limits = packets
    state.agent = agent
    state.bootID = MonotonicClock.bootID
    state.maxCalls = limits[.callsPerConnection]
    state.initialCredit = UInt32(limits[.messagesAhead])
    state.helloTimeout = helloTimeout.nanoseconds
    state.keepaliveIdle = keepaliveIdle.nanoseconds
    state.keepalivePatience = keepalivePatience.nanoseconds
    state.cancelBurst = limits[.cancelBurst]
    state.cancelsPerSecond = limits[.cancelsPerSecond]
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
