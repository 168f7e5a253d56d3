public import CaptureSystem
public import CaptureTLS
import CaptureWire

/// Which node a client accepts over TLS. It sends nothing to any other.
public enum ClientTLS: Sendable {
  /// Accepts any node, for a program that wants to learn the node's key.
  case anybody
  /// The node that has this key.
  case key(Digest)
  /// The node that has a certificate of this CA, which is valid now and has this name: a host's, or an IP address.
  case authority(CertificateAuthority, name: String)
}

/// The configuration of a client's connection.
public struct ClientConfiguration: Sendable {
  /// The client's name and version: "capturectl/0.1.0".
  public var agent = "capture-client"
  /// How long connecting may take, until the node's Hello.
  public var connectTimeout: Duration = .seconds(5)
  /// How long the node may be silent before the client sends a Ping.
  public var keepaliveIdle: Duration = .seconds(30)
  /// How long the node's answer to that Ping may take.
  public var keepalivePatience: Duration = .seconds(10)
  /// Further addresses of the same node, which are tried too.
  public var otherAddresses: [SocketAddress] = []
  /// How the connection is protected; `nil`: it is not.
  public var tls: ClientTLS?
  /// Throws where nothing may be sent in the clear to a numeric address. It is called before each connection without TLS, with every address that the
  /// host's name has, on a thread that may block.
  package var checkInTheClear: (@Sendable (SocketAddress) throws(RPCError) -> Void)?
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
