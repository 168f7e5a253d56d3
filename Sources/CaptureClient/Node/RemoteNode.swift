import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A node somewhere: its cameras, over one connection.
///
/// Every failure is an `RPCError`: the node's own status, or `unavailable` when it cannot be reached, or `deadlineExceeded` when it
/// did not answer in time. Safe to use from many tasks; calls run side by side.
///
/// A lost connection is made again where ``Options/reconnect`` says so. Calls made while it is away fail at once, with `unavailable` and
/// the reason; so do those that were open. Frame streams and the watch of cameras wait, and go on.
public final class RemoteNode: Sendable {
  let connection: any NodeConnection
  let options: Options
  /// They go along with every call.
  let leaseTokens: [LeaseToken]

  /// How to talk to a node.
  public struct Options: Sendable {
    /// Of connecting, and of every call that is answered once; `nil`: as long as it takes. Streams have their own.
    public var timeout: Duration?
    /// Who speaks, for the node's log: "viewer/1.0".
    public var agent: String
    /// How a lost connection is made again; `nil`: it is not. The first connection has to succeed.
    public var reconnect: ReconnectPolicy?
    /// Told when the connection is lost, when an attempt to make it again has failed, and when it is there again.
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

  /// Connects to a node. Throws `unavailable` where there is none, saying what was tried.
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

  /// Ends the connection; calls that are open fail.
  public func close() async { await connection.close() }

  /// Of every call that is answered once; `nil`: as long as it takes.
  var timeout: Duration? { options.timeout }

  /// Of a call that is answered once.
  var callOptions: CallOptions {
    CallOptions(
      timeout: timeout,
      metadata: leaseTokens.map { CallMetadata(key: CallMetadata.leaseKey, value: Array($0.rawValue.utf8)) })
  }
}
