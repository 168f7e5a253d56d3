public import CaptureSystem
public import CaptureTLS
import CaptureWire

/// TLS as a client uses it.
public struct ClientTLS: Sendable {
  /// The node's key: nothing is sent to a node with another one. `nil`: any key is taken, for a program that asks for it.
  public var pin: Digest?

  public init(pin: Digest?) { self.pin = pin }
}

/// The configuration of a client's connection.
public struct ClientConfiguration: Sendable {
  /// The client's name and version: "capturectl/0.1.0".
  public var agent = "capture-client"
  /// How long connecting may take, until the node's Hello.
  public var connectTimeout: Duration = .seconds(5)
  /// How long the node may be silent before a Ping, and how long its answer may take.
  public var keepaliveIdle: Duration = .seconds(30)
  public var keepalivePatience: Duration = .seconds(10)
  /// Further addresses of the same node, which are tried too.
  public var otherAddresses: [SocketAddress] = []
  /// How the connection is protected; `nil`: it is not.
  public var tls: ClientTLS?
  /// The secret that the node knows the client by; empty: none.
  public var credential: [UInt8] = []
  /// The longest payload of a message that the client accepts, in bytes.
  public var payloadLimit: UInt64 = 1 << 30
  /// The loop on which the connection lives. Tasks that prefer `loop.executor` make calls without a hop.
  public var loop = TransportLoop.clients

  public init() {}

  var connection: ClientConnectionState.Configuration {
    var state = ClientConnectionState.Configuration()
    state.agent = agent
    state.credential = credential
    state.bootID = MonotonicClock.bootID
    state.payloadLimit = payloadLimit
    state.keepaliveIdle = keepaliveIdle.nanoseconds
    state.keepalivePatience = keepalivePatience.nanoseconds
    return state
  }
}
