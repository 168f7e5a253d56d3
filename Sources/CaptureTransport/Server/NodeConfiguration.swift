public import CaptureModel
import CaptureSystem
import CaptureWire
import Glibc

/// The configuration of a node's transport.
public struct NodeConfiguration: Sendable {
  /// The limits of what clients can make grow.
  public var limits = NodeLimits()
  public var helloTimeout: Duration = .seconds(5)
  /// How long a client may be silent before the node sends a Ping.
  public var keepaliveIdle: Duration = .seconds(30)
  /// How long the client's answer to that Ping may take.
  public var keepalivePatience: Duration = .seconds(10)
  /// The node's name and version: "capture-node/0.1.0".
  public var agent = "capture-node"
  /// Whether connections wait, in the kernel's queues, until ``NodeServer/acceptConnections()``.
  public var holdsConnections = false
  /// The permissions of Unix sockets that the node makes.
  public var unixMode: UInt32 = 0o600
  /// The number of loops for connections: by default one for each processor. The node makes 2 at most.
  public var loops = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  /// Decides which callers may connect, and what they may do; `nil`: everybody may do everything.
  public var accessGuard: (any AccessGuard)?
  /// Called with news of clients, on the loops: it must not block.
  public var report: @Sendable (ServerNotice) -> Void = { _ in }
  /// Called with the number of each connection whose client has gone, on the loops and after its calls were cancelled: it must not block.
  public var connectionClosed: @Sendable (UInt64) -> Void = { _ in }
  /// Called when a call or a connection has ended, on the loops: it must not block.
  public var workEnded: @Sendable () -> Void = {}
  /// Whether `report` also hears of the end of each call.
  public var reportsCalls = false

  /// When this process began to serve, in nanoseconds of `CLOCK_MONOTONIC`.
  private static let started = MonotonicClock.now()

  public init() {}

  /// The limits of the packets that clients send to the node.
  var packets: PacketLimits { PacketLimits(envelope: limits[.envelopeBytes], chunk: limits[.chunkBytes]) }

  var connection: ServerConnectionState.Configuration {
    var state = ServerConnectionState.Configuration()
    state.limits = packets
    state.agent = agent
    state.bootID = MonotonicClock.bootID
    state.startedAt = Self.started
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

/// The counters of a node's transport.
public struct NodeStatistics: Hashable, Sendable {
  /// The connections now.
  public var clients = 0
  /// The connections since the start.
  public var clientsTotal: UInt64 = 0
  /// The connections that were not served because of a limit, or that broke the protocol.
  public var clientsRefused: UInt64 = 0
  /// The handlers that run now.
  public var calls = 0
  /// The calls since the start.
  public var callsTotal: UInt64 = 0
  /// The calls since the start that ended in a status other than OK and CANCELLED.
  public var callsFailed: UInt64 = 0
  /// Frames that were replaced or aborted because their client was slow.
  public var discarded: UInt64 = 0
  public var bytesSent: UInt64 = 0
  public var bytesReceived: UInt64 = 0

  public init() {}
}
