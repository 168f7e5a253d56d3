import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A remote node and its cameras, over one connection.
///
/// Every failure is an `RPCError`: the node's own status, `unavailable` when the node cannot be reached, or `deadlineExceeded` when it did not answer
/// in time. Many tasks may use it at once; their calls run side by side.
///
/// A lost connection is made again if ``Options/reconnect`` says so. Open calls fail with `unavailable` and the reason, and so do calls while the
/// connection is away. Frame streams and the watch of cameras wait, and continue.
public final class RemoteNode: Sendable {
  let connection: any NodeConnection
  let options: Options
  /// The tokens that are sent with every call.
  let leaseTokens: [LeaseToken]

  /// Options of a node's connection and calls.
  public struct Options: Sendable {
    /// The time limit for connecting, and for every call with one answer; `nil`: no limit. Streams have their own.
    public var timeout: Duration?
    /// The client's name and version for the node's log: "viewer/1.0".
    public var agent: String
    /// The policy for making a lost connection again; `nil`: it is not made again. The first connection has to succeed.
    public var reconnect: ReconnectPolicy?
    /// Called when the connection is lost, when an attempt to make it again has failed, and when it is there again.
    public var onConnectionChange: (@Sendable (ConnectionChange) -> Void)?

    public init(
      timeout: Duration? = .seconds(10), agent: String = "capture-client", reconnect: ReconnectPolicy? = nil,
      onConnectionChange: (@Sendable (ConnectionChange) -> Void)? = nil
    ) {
      self.timeout = timeout
      self.agent = agent
      self.reconnect = reconnect
      self.onConnectionChange = onConnectionChange
    }
  }

  /// Connects to a node. Throws `unavailable` where there is none, and says which addresses were tried.
  public static func connect(
    to address: SocketAddress = .standard, options: Options = Options()
  ) async throws(RPCError) -> RemoteNode {
    var configuration = ClientConfiguration()
    configuration.agent = options.agent
    if let timeout = options.timeout { configuration.connectTimeout = timeout }
    let dial = { @Sendable [configuration] () async throws(RPCError) -> any NodeConnection in
      try await ClientConnection.connect(to: address, configuration: configuration)
    }
    let connection = try await dial()
    guard let policy = options.reconnect else { return RemoteNode(connection, options: options) }
    let lasting = ReconnectingConnection(
      connection, policy: policy, dial: dial, changed: options.onConnectionChange ?? { _ in })
    await lasting.start()
    return RemoteNode(lasting, options: options)
  }

  package init(
    _ connection: any NodeConnection, options: Options = Options(), leases: [LeaseToken] = []
  ) {
    self.connection = connection
    self.options = options
    leaseTokens = leases
  }

  /// Ends the connection. Open calls fail.
  public func close() async { await connection.close() }

  /// The time limit of every call with one answer; `nil`: no limit.
  var timeout: Duration? { options.timeout }

  /// The options of a call with one answer.
  var callOptions: CallOptions {
    CallOptions(
      timeout: timeout,
      metadata: leaseTokens.map { CallMetadata(key: CallMetadata.leaseKey, value: Array($0.rawValue.utf8)) })
  }
}
