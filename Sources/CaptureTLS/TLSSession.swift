internal import COpenSSL
import Glibc

/// One TLS connection without its socket: encrypted bytes go in and out on the network's side, plain ones on the connection's side. Confined to its
/// owner.
public final class TLSSession {
  public enum Outcome: Equatable, Sendable {
    /// So many bytes were read or written.
    case bytes(Int)
    /// The peer has to send more first.
    case needsInput
    /// The peer sends no more.
    case ended
    /// The connection is over, and why.
    case failed(String)
  }

  private let raw: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private var expectedName: String?

  /// The kind of buffer (BIO) in which a session's bytes wait; `nil`: there was no memory for it. OpenSSL never changes it.
  private nonisolated(unsafe) static let queue = capture_queue_method()

  /// `name`: a host name or an IP address that the node's certificate must have, for ``distrust``; `nil`: ``distrust`` accepts no certificate.
  public init(_ context: TLSContext, name: String? = nil) throws(TLSError) {
    guard let raw = SSL_new(context.raw), let method = Self.queue, let incoming = BIO_new(method),
      let outgoing = BIO_new(method)
    else { throw .openSSL("no memory for a TLS connection") }
    (self.raw, self.incoming, self.outgoing) = (raw, incoming, outgoing)
    // The session owns both buffers from here on.
    SSL_set_bio(raw, incoming, outgoing)
    if context.isServer {
      SSL_set_accept_state(raw)
    } else {
      SSL_set_connect_state(raw)
      // An IP address may not be sent as the server name (SNI).
      let isAddress = name.map { X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), $0) == 1 } ?? false
      if let name, !isAddress, SSL_set1_host(raw, name) != 1 { throw .openSSL("'\(name)' is no host's name") }
      if !isAddress { _ = capture_tls_server_name(raw, name ?? TLSIdentity.serverName) }
      expectedName = name
      ERR_clear_error()
    }
  }

  deinit { SSL_free(raw) }

  /// Whether the handshake is done.
  public var isOpen: Bool { SSL_is_init_finished(raw) == 1 }

  /// Whether the node, which is this side, has made its part of the handshake with the signature: the rest of the handshake costs little. A node that
  /// has asked for another key share (HelloRetryRequest) has signed nothing.
  public var hasSigned: Bool {
    // OpenSSL's state does not show this: it is the same after a HelloRetryRequest. But the node makes its own Finished after the signature, and
    // until then the length of that is 0.
    isOpen || SSL_get_finished(raw, nil, 0) > 0
  }

  /// "TLS_AES_128_GCM_SHA256"
  public var suite: String? { SSL_get_current_cipher(raw).map { String(cString: SSL_CIPHER_get_name($0)) } }

  /// The peer's public key; `nil`: it has shown none yet.
  public var peerPin: Digest? {
    withPeer { try? TLSIdentity.pin(of: $0) }
  }

  /// The peer's certificate in PEM.
  public var peerCertificatePEM: String? { withPeer { TLSIdentity.pem(of: $0) } }

  /// Why the peer is not the right one, in words for a person: its certificate is not from a CA that the context trusts, is not valid now, or is for
  /// another name. `nil`: it is the right one.
  public var distrust: String? {
    let result = Int32(SSL_get_verify_result(raw))
    guard let facts = withPeer({ CertificateFacts(of: $0) }) else { return "it has shown no certificate" }
    switch result {
    case X509_V_OK: return expectedName == nil ? "no name was asked for" : nil
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
      // The invalid certificate may be any of the chain, also the CA's own.
      let now = Int64(time(nil))
      return facts.invalidity(at: now)
        ?? "the certificate of its CA is not valid now, and this machine's clock says \(CertificateFacts.date(now))"
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      let names = facts.names.isEmpty ? "nobody" : facts.names.joined(separator: ", ")
      return "the certificate is for \(names), not for \(expectedName ?? "")"
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "the certificate was not issued by the CA that is believed here"
    default:
      return "the certificate is refused: \(String(cString: X509_verify_cert_error_string(Int(result))))"
    }
  }

  private func withPeer<R>(_ body: (OpaquePointer) -> R?) -> R? {
    guard let certificate = SSL_get1_peer_certificate(raw) else { return nil }
    defer { X509_free(certificate) }
    return body(certificate)
  }

  // MARK: The network's side

  /// Takes bytes that came from the network.
  public func receive(_ bytes: UnsafeRawBufferPointer) {
    BIO_write(incoming, bytes.baseAddress, Int32(bytes.count))
  }

  /// Whether bytes that came have not been read yet.
  public var hasInput: Bool { SSL_has_pending(raw) == 1 || capture_queue_count(incoming) > 0 }

  /// Whether something waits to be sent.
  public var hasOutput: Bool { capture_queue_count(outgoing) > 0 }

  /// Calls `send` with the bytes that wait to be sent. `send` returns how many of them it has sent.
  public func send<E: Error>(_ send: (UnsafeRawBufferPointer) throws(E) -> Int) throws(E) {
    let count = capture_queue_count(outgoing)
    guard count > 0 else { return }
    let sent = try send(UnsafeRawBufferPointer(start: capture_queue_first(outgoing), count: count))
    capture_queue_forget(outgoing, sent)
  }

  // MARK: The connection's side

  /// Goes on with the handshake; ``Outcome/bytes(_:)``: it is done.
  public func shakeHands() -> Outcome {
    ERR_clear_error()
    let status = SSL_do_handshake(raw)
    return status == 1 ? .bytes(0) : outcome(of: status)
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    ERR_clear_error()
    var count = 0
    let status = SSL_read_ex(raw, buffer.baseAddress, buffer.count, &count)
    return status == 1 ? .bytes(count) : outcome(of: status)
  }

  /// Encrypts bytes, which then wait to be sent. It takes ``longestWrite`` of them at most.
  public func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    ERR_clear_error()
    var total = 0
    while total < min(bytes.count, Self.longestWrite) {
      var count = 0
      let left = min(bytes.count, Self.longestWrite) - total
      let status = SSL_write_ex(raw, bytes.baseAddress! + total, left, &count)
      guard status == 1 else { return total > 0 ? .bytes(total) : outcome(of: status) }
      total += count
    }
    return .bytes(total)
  }

  /// Bytes that one write takes at most: four records of 16 KiB, which go to the socket together.
  public static let longestWrite = 65_536

  /// Tells the peer that nothing more comes.
  public func endWriting() {
    ERR_clear_error()
    _ = SSL_shutdown(raw)
  }

  private func outcome(of status: Int32) -> Outcome {
    switch SSL_get_error(raw, status) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: .needsInput
    case SSL_ERROR_ZERO_RETURN: .ended
    default: .failed(TLSError.openSSL("TLS").description)
    }
  }
}
