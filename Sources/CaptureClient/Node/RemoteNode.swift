import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire

/// A node somewhere: its cameras, over one connection.
///
/// Every failure is an `RPCError`: the node's own status, or `unavailable` when it cannot be reached, or `deadlineExceeded` when it
/// did not answer in time. Safe to use from many tasks; calls run side by side.
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

    public init(timeout: Duration? = .seconds(10), agent: String = "capture-client") {
      self.timeout = timeout
      self.agent = agent
    }
  }

  /// Connects to a node. Throws `unavailable` where there is none, saying what was tried.
  public static func connect(
    to address: SocketAddress = .standard, options: Options = Options()
  ) async throws(RPCError) -> RemoteNode {
    var configuration = ClientConfiguration()
    configuration.agent = options.agent
    if let timeout = options.timeout { configuration.connectTimeout = timeout }
    return RemoteNode(
      try await ClientConnection.connect(to: address, configuration: configuration), options: options)
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
