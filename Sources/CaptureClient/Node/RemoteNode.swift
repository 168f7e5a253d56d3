public import CaptureModel
internal import CaptureTransport
internal import CaptureWire

/// A node and its cameras, over one connection.
///
/// Every failure is a ``CaptureError``: the node's own refusal, `unavailable` when the node cannot be reached, or `deadlineExceeded` when it did not
/// answer in time. Many tasks may use a node at once; their calls run side by side.
///
/// A lost connection is made again, see ``Configuration/reconnect``. Calls that are cut then fail with `unavailable`, and so do calls while the
/// connection is away: no call is repeated, since the node may have carried it out. Frames, watches and events wait, and go on (``Resumption``).
public final class RemoteNode: Sendable {
  let connection: any NodeConnection
  /// The configuration with which this program connected to the node.
  public let configuration: Configuration
  /// The tokens that are sent with every call.
  let leaseTokens: [LeaseToken]

  /// Connects to a node. Throws `unavailable` where there is none, and says which addresses were tried.
  public convenience init(configuration: Configuration = Configuration()) async throws(CaptureError) {
    let connection = try await convertingErrors { () async throws(RPCError) in
      try await abandoningIfCancelled(discard: { await $0.close() }) { () async throws(RPCError) in
        try await Self.connect(configuration)
      }
    }
    self.init(connection, configuration: configuration)
  }

  /// Connects to the node at an address: "192.168.1.20", "camera.local:7311", "unix:/run/capture.sock". Throws `invalidArgument` for an address that
  /// cannot be read.
  public convenience init(_ address: String) async throws(CaptureError) {
    try await self.init(configuration: Configuration(address))
  }

  private static func connect(_ configuration: Configuration) async throws(RPCError) -> any NodeConnection {
    if configuration.isCredentialForPlaintext, configuration.tls != nil {
      throw RPCError(
        .failedPrecondition,
        "the node at \(configuration.address) has a known key or CA: nothing goes there in the clear, but the credential is for plaintext alone",
        .init(.notEncrypted))
    }
    guard
      configuration.credential == nil || configuration.tls != nil || configuration.address.isLocal
        || configuration.isCredentialForPlaintext
    else {
      throw RPCError(
        .failedPrecondition,
        "neither the key of the node at \(configuration.address) nor its CA is known, and a credential is sent only to a node that proves who it is; "
          + "make it known with 'capturectl node add'",
        .init(.notEncrypted))
    }
    var transport = ClientConfiguration()
    transport.agent = configuration.agent
    transport.otherAddresses = configuration.otherAddresses
    transport.tls = configuration.tls
    if let check = configuration.checkInTheClear {
      transport.checkInTheClear = { (address) throws(RPCError) in
        do throws(CaptureError) { try check(address) } catch { throw RPCError(error) }
      }
    }
    transport.credential = configuration.credential?.bytes ?? []
    if let timeout = configuration.timeout { transport.connectTimeout = timeout }
    let dial = { @Sendable [transport] () async throws(RPCError) -> any NodeConnection in
      try await ClientConnection.connect(to: configuration.address, configuration: transport)
    }
    let connection = try await dial()
    guard let policy = configuration.reconnect else { return connection }
    let lasting = ReconnectingConnection(
      connection, policy: policy, dial: dial, changed: configuration.onConnectionChange ?? { _ in })
    await lasting.start()
    return lasting
  }

  package init(
    _ connection: any NodeConnection, configuration: Configuration = Configuration(),
    leases: [LeaseToken] = []
  ) {
    self.connection = connection
    self.configuration = configuration
    leaseTokens = leases
  }

  /// Ends the connection. Calls that run fail.
  public func close() async { await connection.close() }

  /// This node over the same connection. Every call sends these tokens too, beside the present ones.
  public func using(_ tokens: LeaseToken...) -> RemoteNode {
    RemoteNode(connection, configuration: configuration, leases: leaseTokens + tokens)
  }

  /// The options of a call with one answer.
  var callOptions: CallOptions {
    CallOptions(
      timeout: configuration.timeout,
      metadata: leaseTokens.map { CallMetadata(key: CallMetadata.leaseKey, value: Array($0.rawValue.utf8)) })
  }
}
