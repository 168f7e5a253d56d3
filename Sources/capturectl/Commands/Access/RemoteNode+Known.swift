import CaptureAccess
import CaptureClient
import CaptureSystem

extension RemoteNode.Configuration {
  /// Reaches the node that an address means: a node that this machine knows by that name or address, or else whatever node is there.
  /// `credentialFile`: the file with this client's secret, in place of the one that pairing has made.
  /// `authorityFile`: the file with the CA that must have issued the node's certificate.
  /// `timeout`: how long the lookup of a host's name may take; `nil`: 5 s.
  static func toward(
    _ address: SocketAddress, credentialFile: String? = nil, authorityFile: String? = nil,
    timeout: Duration? = nil
  ) async throws -> Self {
    let nodes = KnownNodes.usual
    let lookup = await Patience.value(atMost: timeout ?? .seconds(5)) {
      () -> Result<KnownNode?, CaptureError> in
      do throws(CaptureError) {
        // A host's name is looked up, for its addresses may be those of a known node. With a CA no lookup is needed: the connection is encrypted in any
        // case, and the certificate must have the name itself. A name that cannot be looked up now is looked up again for the connection
        // (`checkInTheClear`).
        return .success(
          try nodes?.node(at: address) { authorityFile == nil ? (try? $0.resolved()) ?? [] : [] })
      } catch {
        return .failure(error)
      }
    }
    guard let result = lookup else {
      throw CaptureError(
        .unavailable, "no node at \(address): its name was not looked up within the time",
        .init(.nodeUnreachable))
    }
    let known = try result.get()
    var configuration = try known.map { try Self($0) } ?? Self(address: address)
    configuration.checkInTheClear = { (numeric) throws(CaptureError) in
      guard let node = try nodes?.node(at: numeric) else { return }
      throw CaptureError(
        .failedPrecondition,
        "\(address) has the address \(numeric) of the known node '\(node.name)' now, and nothing goes there in the clear: use --node \(node.name)",
        .init(.notEncrypted))
    }
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

extension RemoteNode.Configuration {
  /// The sentence, with a space behind it, about a name that was taken for a host's, since no node is known by it; empty: the address is no name, or that
  /// of a node that is known, or that --ca names.
  var hostAdvice: String {
    guard case .name(let host, _) = address, nodeKey == nil, authority == nil else { return "" }
    return
      "No node is known as \(host.quoted) (capturectl node list shows those that are), so it was taken for the name of a host. "
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
