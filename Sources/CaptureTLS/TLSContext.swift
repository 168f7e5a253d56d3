internal import COpenSSL

/// The settings that the TLS sessions of one side share: version 1.3 alone, no tickets, no early data and no cache, since a resumed session would
/// outlive a revocation.
public final class TLSContext: @unchecked Sendable {
  // Unchecked: OpenSSL's contexts may be used by several threads once they are configured.
  let raw: OpaquePointer
  let isServer: Bool

  /// `groups`: the groups for the key exchange, as OpenSSL names them. A client sends a key share of the first one.
  init(isServer: Bool, order: CipherOrder, groups: String = "X25519:P-256") throws(TLSError) {
    self.isServer = isServer
    guard let raw = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
      throw .openSSL("TLS cannot be used")
    }
    self.raw = raw
    guard capture_tls_only_13(raw) == 1, SSL_CTX_set_ciphersuites(raw, order.suites) == 1,
      capture_tls_groups(raw, groups) == 1
    else { throw .openSSL("TLS 1.3 cannot be used") }
    capture_tls_keep_nothing(raw)
    SSL_CTX_set_verify(raw, SSL_VERIFY_NONE, nil)
  }

  deinit { SSL_CTX_free(raw) }

  /// A node's side.
  public static func server(_ identity: TLSIdentity, order: CipherOrder = .usual) throws(TLSError)
    -> TLSContext
  {
    let context = try TLSContext(isServer: true, order: order)
    guard SSL_CTX_use_certificate(context.raw, identity.certificate) == 1,
      SSL_CTX_use_PrivateKey(context.raw, identity.key) == 1
    else { throw .openSSL("the certificate cannot be used") }
    for certificate in identity.chain where capture_tls_add_chain(context.raw, certificate) != 1 {
      throw .openSSL("the certificates behind the node's own cannot be used")
    }
    // The node's order holds, except for a client that puts ChaCha20 first (`SSL_OP_PRIORITIZE_CHACHA`): that client has no AES in hardware.
    capture_tls_own_order(context.raw)
    return context
  }

  /// A client's side. The handshake accepts any certificate. The client checks the node afterwards: with an `authority`, that this has issued the
  /// node's certificate (``TLSSession/distrust``), else the node's key (``TLSSession/peerPin``).
  public static func client(
    believing authority: CertificateAuthority? = nil, order: CipherOrder = .usual
  ) throws(TLSError) -> TLSContext {
    let context = try TLSContext(isServer: false, order: order)
    guard let authority else { return context }
    let store = SSL_CTX_get_cert_store(context.raw)
    for certificate in authority.certificates where X509_STORE_add_cert(store, certificate.raw) != 1 {
      throw .openSSL("the CA's certificate cannot be used")
    }
    return context
  }
}
