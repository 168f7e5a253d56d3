import CaptureSystem
import CaptureWire

/// The configuration of a client's connection.
public struct ClientConfiguration: Sendable {
  /// The client's name and version: "capturectl/0.1.0".
  public var agent = "capture-client"
  /// How long connecting may take, until the node's Hello.
  public var connectTimeout: Duration = .seconds(5)
  /// How long the node may be silent before a Ping, and how long its answer may take.
  public var keepaliveIdle: Duration = .seconds(30)
  public var keepalivePatience: Duration = .seconds(10)
  /// The longest payload of a message that the client accepts, in bytes.
  public var payloadLimit: UInt64 = 1 << 30
  /// The loop on which the connection lives. Tasks that prefer `loop.executor` make calls without a hop.
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
