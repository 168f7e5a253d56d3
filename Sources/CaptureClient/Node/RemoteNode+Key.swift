public import CaptureAccess
public import CaptureModel
public import CaptureTLS
internal import CaptureTransport
internal import CaptureWire

extension RemoteNode {
  /// The key and the certificate that a node shows. They alone do not prove that it is the right node.
  public struct ShownKey: Hashable, Sendable {
    /// The SHA-256 of its public key.
    public var key: Digest
    /// Its certificate in PEM, for programs whose TLS library takes a file of trusted certificates.
    public var certificate: String
  }

  /// Asks the node at an address for its key, over TLS. With ``Configuration/nodeKey`` only a node with that key is accepted, and with
  /// ``Configuration/authority`` only one with a certificate of that CA. No credential is sent.
  /// Throws `unavailable` where nothing answers, or not over TLS, and `unauthenticated` where another node answers.
  public static func shownKey(_ configuration: Configuration) async throws(CaptureError) -> ShownKey {
    var transport = ClientConfiguration()
    transport.agent = configuration.agent
    transport.otherAddresses = configuration.otherAddresses
    transport.tls = configuration.tls ?? .anybody
    if let timeout = configuration.timeout { transport.connectTimeout = timeout }
    return try await convertingErrors { [transport] () async throws(RPCError) in
      let connection = try await abandoningIfCancelled(discard: { await $0.close() }) {
        () async throws(RPCError) -> ClientConnection in
        try await .connect(to: configuration.address, configuration: transport)
      }
      await connection.close()
      guard let key = connection.nodePin, let certificate = connection.nodeCertificate else {
        throw RPCError(.unavailable, "\(configuration.address) has shown no key", .init(.notEncrypted))
      }
      return ShownKey(key: key, certificate: certificate)
    }
  }

  /// Gives this client, which must have been paired, a new secret at the node. The old secret is valid until the new one has been used.
  /// Throws `failedPrecondition` for a client that was not paired, and `unavailable` where the node is not reached or could not store the secret,
  /// and `resourceExhausted` while another secret of this client is being stored; then the old one stays.
  public func rotateCredential(to secret: Secret) async throws(CaptureError) {
    _ = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).rotate(
        RotateRequest(secretSha256: secret.digest.bytes), options: callOptions)
    }
  }
}
