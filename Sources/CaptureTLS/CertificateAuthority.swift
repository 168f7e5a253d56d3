internal import COpenSSL

/// The certificate authorities (CA) that a client trusts to say who a node is: one certificate, or several.
public struct CertificateAuthority: Sendable {
  /// The certificates in PEM.
  public let pem: String
  let certificates: [Certificate]

  /// Reads a file's contents; `nil`: there is no certificate in it (BEGIN CERTIFICATE).
  public init?(pem: String) {
    certificates = TLSIdentity.certificates(in: Array(pem.utf8)).map(Certificate.init)
    guard !certificates.isEmpty else { return nil }
    self.pem = pem
  }

  /// A certificate, which is freed with the last reference.
  final class Certificate: @unchecked Sendable {
    // Unchecked: nothing changes a certificate that was read.
    let raw: OpaquePointer
    init(_ raw: OpaquePointer) { self.raw = raw }
    deinit { X509_free(raw) }
  }
}
