import CaptureAccess
import CaptureTLS

/// The certificate that the node shows: its own, or one whose files the configuration names.
extension NodeAccess {
  /// Reads the key and the certificate that the configuration names; `nil`: the node's own, which are made when they are first needed.
  func identity(of certificate: ConfiguredTLS?) throws(AccessFileError) -> TLSIdentity {
    if let certificate {
      do throws(ConfigurationError) { return try certificate.identity() } catch {
        throw AccessFileError(error.description)
      }
    }
    guard let files else {
      throw AccessFileError("this node keeps no state, so it cannot keep a key: start it with --state FILE")
    }
    if let identity = try files.readIdentity() { return identity }
    let made = try AccessFiles.newIdentity()
    try files.write(made)
    return made
  }

  /// Uses this identity for every connection from now on. Connections that are open stay as they are.
  func show(_ identity: TLSIdentity) throws(AccessFileError) {
    do throws(TLSError) {
      let context = try TLSContext.server(identity)
      state.withLock { ($0.identity, $0.tls) = (identity, context) }
    } catch {
      throw AccessFileError("\(error)")
    }
  }

  /// Uses the certificate that the configuration names now; `identity` was read from it. Returns warnings for an administrator.
  func exchange(_ certificate: ConfiguredTLS?, for identity: TLSIdentity?) throws(AccessFileError) -> [String]
  {
    let old = state.withLock { $0.identity }
    let new = identity.flatMap { $0.chainPEM == old?.chainPEM ? nil : $0 }
    if let new { try show(new) }
    state.withLock { $0.certificate = certificate }
    guard let identity = new else { return [] }
    report(.info, "the certificate was exchanged: \(identity.facts.text)")
    guard let old, old.pin != identity.pin else { return [] }
    return [
      "the node has another key than before: clients that know it by its key refuse it, also paired clients. They have to pair again, or to know it by its CA "
        + "('capturectl node add HOST --ca FILE')"
    ]
  }

  /// Why clients may refuse the certificate that the configuration names, by this machine's clock; `nil`: nothing is wrong with it.
  var certificateWarning: String? {
    let (certificate, identity) = state.withLock { ($0.certificate, $0.identity) }
    guard let certificate, let invalidity = identity?.facts.invalidity(at: Self.utc()) else { return nil }
    return
      "\(certificate.certificate): \(invalidity); clients that know the node by its CA refuse it, by their own clocks"
  }
}
