import CaptureAccess
import CaptureClient
import CaptureSystem

extension RemoteNode.Configuration {
  /// Reaches the node that an address means: one that this machine knows, by its name or its address, or else whatever is there.
  /// `credentialFile`: the file with this client's secret, in place of the one that pairing has made.
  /// `authorityFile`: the file with the CA that must have issued the node's certificate.
  static func toward(
    _ address: SocketAddress, credentialFile: String? = nil, authorityFile: String? = nil
  ) throws -> Self {
    // With a CA the connection is encrypted in any case, and the name is what the certificate must have.
    let known = try KnownNodes.usual?.node(at: address) {
      authorityFile == nil ? (try? $0.resolved()) ?? [] : []
    }
    var configuration = try known.map { try Self($0) } ?? Self(address: address)
    if let authorityFile {
      let authority = try CertificateAuthority(file: authorityFile)
      if case .key? = known?.proof {
        throw CaptureError(
          .failedPrecondition,
          "'\(known!.name)' is known by its key, and --ca is for nodes that are not. To know it by its certificate: capturectl node add HOST --name \(known!.name) --ca FILE",
          .init(.fieldsExclusive, field: "ca"))
      }
      guard configuration.address.isInternet else {
        throw CaptureError(
          .invalidArgument,
          "--ca is for TLS, and \(address) is a Unix socket, where the kernel tells who the caller is",
          .init(.fieldsExclusive, field: "ca"))
      }
      configuration.authority = authority
    }
    if let credentialFile {
      let credential = try CredentialFile.credential(at: credentialFile)
      configuration.credential = credential.secret
      configuration.isCredentialForPlaintext = credential.isForPlaintext
    }
    return configuration
  }
}

extension CertificateAuthority {
  /// Reads a file of certificates in PEM. Throws `invalidArgument` where it cannot be read, or has none.
  init(file: String) throws {
    let text: String
    do throws(Errno) {
      text = String(decoding: try SmallFile.bytes(of: file, upTo: 1 << 20), as: UTF8.self)
    } catch {
      throw CaptureError(
        .invalidArgument, "\(file) cannot be read: \(error)", .init(.valueNotPossible, field: "ca"))
    }
    guard let authority = CertificateAuthority(pem: text) else {
      throw CaptureError(
        .invalidArgument, "\(file) has no certificate in PEM (BEGIN CERTIFICATE)",
        .init(.valueNotPossible, field: "ca"))
    }
    self = authority
  }
}

extension SocketAddress {
  fileprivate var isInternet: Bool {
    if case .unix = self { false } else { true }
  }
}
