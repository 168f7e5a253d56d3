internal import COpenSSL

/// A node's private key and its certificate. A certificate that the node has made itself is its own issuer and valid at any time, so clocks do not
/// matter; clients know such a node by its public key. A certificate read from files may have been issued by a CA.
public final class TLSIdentity: @unchecked Sendable {
  // Unchecked: OpenSSL counts references to keys and certificates with atomics, and nothing changes them once they are made.
  let key: OpaquePointer
  let certificate: OpaquePointer
  /// The certificates between the node's own and one that clients trust.
  let chain: [OpaquePointer]
  /// The digest of the node's public key, by which clients know the node.
  public let pin: Digest

  /// The name in every certificate that a node makes itself, for clients whose TLS library wants one. It is never looked up.
  public static let serverName = "node.remote-capture.invalid"

  private init(
    key: OpaquePointer, certificate: OpaquePointer, chain: [OpaquePointer] = []
  ) throws(TLSError) {
    (self.key, self.certificate, self.chain) = (key, certificate, chain)
    pin = try Self.pin(of: certificate)
    guard X509_check_private_key(certificate, key) == 1 else {
      throw .openSSL("the certificate is not of this private key")
    }
  }

  deinit {
    EVP_PKEY_free(key)
    X509_free(certificate)
    for certificate in chain { X509_free(certificate) }
  }

  /// A new ECDSA P-256 key with its certificate.
  public static func make() throws(TLSError) -> TLSIdentity {
    guard let key = capture_p256_key(), let certificate = X509_new() else {
      throw .openSSL("no key could be made")
    }
    X509_set_version(certificate, 2)
    // RFC 5280 wants serial numbers that are positive and have at most 20 bytes.
    let serial = BN_bin2bn(RandomBytes.make(16), 16, nil)
    BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate))
    BN_free(serial)
    ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "19700101000000Z")
    ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z")
    X509_set_pubkey(certificate, key)
    let name = X509_get_subject_name(certificate)
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "capture-node", -1, -1, 0)
    X509_set_issuer_name(certificate, name)
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
    for (extensionID, value) in [
      (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,digitalSignature,keyCertSign"),
      (NID_subject_alt_name, "DNS:\(serverName)"), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, "keyid:always"),
    ] {
      guard let made = X509V3_EXT_conf_nid(nil, &context, extensionID, value) else {
        throw .openSSL("no certificate could be made")
      }
      X509_add_ext(certificate, made, -1)
      X509_EXTENSION_free(made)
    }
    guard X509_sign(certificate, key, EVP_sha256()) > 0 else {
      throw .openSSL("no certificate could be made")
    }
    return try TLSIdentity(key: key, certificate: certificate)
  }

  /// Reads a private key and the certificate that belongs to it, in PEM.
  public convenience init(pem: [UInt8]) throws(TLSError) {
    guard let key = Self.withBIO(reading: pem, { PEM_read_bio_PrivateKey($0, nil, nil, nil) }) else {
      throw .openSSL("there is no private key (BEGIN PRIVATE KEY)")
    }
    guard let certificate = Self.withBIO(reading: pem, { PEM_read_bio_X509($0, nil, nil, nil) }) else {
      EVP_PKEY_free(key)
      throw .openSSL("there is no certificate (BEGIN CERTIFICATE)")
    }
    try self.init(key: key, certificate: certificate)
  }

  /// Reads a private key and a chain of certificates, in PEM. The first certificate has to be this key's, or else this throws.
  public convenience init(key: [UInt8], chain: [UInt8]) throws(TLSError) {
    var certificates = Self.certificates(in: chain)
    guard !certificates.isEmpty else { throw .openSSL("there is no certificate (BEGIN CERTIFICATE)") }
    guard let key = Self.withBIO(reading: key, { capture_pem_key($0) }) else {
      for certificate in certificates { X509_free(certificate) }
      throw .openSSL("there is no private key without a password (BEGIN PRIVATE KEY)")
    }
    let own = certificates.removeFirst()
    try self.init(key: key, certificate: own, chain: certificates)
  }

  /// Reads all certificates of a text in PEM. The caller frees them.
  static func certificates(in pem: [UInt8]) -> [OpaquePointer] {
    let found = withBIO(reading: pem) { bio in
      var found: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) { found.append(certificate) }
      return found
    }
    ERR_clear_error()
    return found
  }

  static func withBIO<R>(reading bytes: [UInt8], _ body: (OpaquePointer?) -> R) -> R {
    bytes.withUnsafeBufferPointer { bytes in
      let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
      defer { BIO_free(bio) }
      return body(bio)
    }
  }

  private static func text(_ write: (OpaquePointer?) -> Int32) -> String {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { return "" }
    var start: UnsafePointer<UInt8>?
    let count = capture_bio_contents(bio, &start)
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The certificate's names and dates.
  public var facts: CertificateFacts { CertificateFacts(of: certificate) }

  /// The certificate in PEM. Anybody may read it.
  public var certificatePEM: String { Self.text { PEM_write_bio_X509($0, certificate) } }

  /// The certificate and then the others of its chain, in PEM.
  public var chainPEM: String { certificatePEM + chain.map(Self.pem).joined() }

  /// The private key and the certificate in PEM. Nobody but the node may read it.
  public var pem: String {
    Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) } + certificatePEM
  }

  /// The SHA-256 of a certificate's public key, as `openssl x509 -pubkey | openssl pkey -pubin -outform der | sha256sum` has it.
  static func pin(of certificate: OpaquePointer) throws(TLSError) -> Digest {
    var start: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &start)
    defer { CRYPTO_free(start, "", 0) }
    guard count > 0, let start else { throw .openSSL("the certificate has no public key") }
    return Digest(of: UnsafeBufferPointer(start: start, count: Int(count)))
  }

  static func pem(of certificate: OpaquePointer) -> String { text { PEM_write_bio_X509($0, certificate) } }
}
