import CaptureSystem
import CaptureWire

/// How a client connects.
public struct ClientConfiguration: Sendable {
  /// Who speaks: "capturectl/0.1.0".
  public var agent = "capture-client"
  /// Until the node has said Hello.
  public var connectTimeout: Duration = .seconds(5)
  /// Silence before a Ping, and time for its answer.
  public var keepaliveIdle: Duration = .seconds(30)
  public var keepalivePatience: Duration = .seconds(10)
  /// The longest payload taken of one message, bytes.
  public var payloadLimit: UInt64 = 1 << 30
  /// Where the connection lives. Tasks that prefer `loop.executor` call without a hop.
  public var loop = TransportLoop.clients

  public init() {}

  var connection: ClientConnectionState.Configuration {
    var state = ClientConnectionState.Configuration()
    state.agent = agent
    state.bootID = MonotonicClock.bootID
    state.payloadLimit = payloadLimit
    state.keepaliveIdle = keepaliveIdle.nanoseconds
    state.keepalivePatience = keepalivePatience.nanoseconds
    return state
  }
}
