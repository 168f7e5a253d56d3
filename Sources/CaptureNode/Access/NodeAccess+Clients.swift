import CaptureAccess
import CaptureModel
import CaptureTLS
import CaptureWire

/// Clients are paired, get another secret, and are revoked.
extension NodeAccess {
  /// Makes a pairing code for one client. `maker`: the client that asks for the code; `nil`: somebody on the node's machine.
  func newCode(
    grants: [AccessGrant], name: String, clientSeconds: Int64?, maker: String?
  ) async throws(RPCError) -> [UInt8] {
    let code = RandomBytes.make(PairingLine.codeLength)
    let refusal = try await change { (contents) throws(RPCError) in
      // No code is made while the file of clients cannot be read, since nobody could pair by it.
      try self.requireRead()
      let refusal = contents.book.add(
        code: code, grants: grants, name: name, clientSeconds: clientSeconds, maker: maker,
        boottime: Self.boottime())
      return (value: refusal, needsDisk: false)
    }
    guard refusal == nil else {
      throw RPCError(
        .resourceExhausted,
        "\(AccessBook.mostCodes) codes are valid already; each ends when it is used, or after ten minutes (pairingCodes)",
        NodeLimit.pairingCodes.details())
    }
    return code
  }

  /// Makes a pairing code invalid that nobody was told.
  func forget(code: [UInt8]) async {
    try? await change { (contents) throws(RPCError) in
      contents.book.remove(code: code)
      return (value: (), needsDisk: false)
    }
  }

  func pair(code: [UInt8], secret: Digest, name: String, peer: String) async throws(RPCError) -> KnownClient {
    let outcome = try await change(isOfClient: true) { (contents) throws(RPCError) in
      let outcome = contents.book.pair(
        code: code, secret: secret, name: name, now: Self.utc(), boottime: Self.boottime())
      if case .success(.new) = outcome { return (value: outcome, needsDisk: true) }
      return (value: outcome, needsDisk: false)
    }
    switch outcome {
    case .success(.new(let client)):
      report(.info, "paired '\(client.name)' (\(client.grants.text)), from \(peer)")
      for warning in unmatched(of: client) { report(.warning, warning) }
      return client
    case .success(.again(let client)): return client
    case .failure(.usedCode(let other)):
      reportFailure(
        .error, of: "code of \(other)",
        "somebody at \(peer) has tried the code with which '\(other)' was paired, with another secret: the code may have been stolen. "
          + "If '\(other)' is not the client that you meant, run 'capturectl access revoke \(other)'")
      await noteContestedCode(of: other)
      throw refuse(
        "the code was used already, by another client: if that was not you, tell the node's administrator")
    case .failure(.tooManyClients):
      throw RPCError(
        .resourceExhausted,
        "this node knows \(AccessBook.mostClients) clients, and keeps no more (accessClients)",
        NodeLimit.accessClients.details())
    case .failure(.knownSecret): throw refuse("that secret is another client's; each makes its own")
    case .failure:
      reportFailure(
        .warning, of: "code", "somebody at \(peer) has tried a pairing code that is unknown or has expired")
      throw refuse(
        "the code is unknown, or its ten minutes are over; 'sudo capture-node pair' on the node's machine prints another one"
      )
    }
  }

  /// Notes that the code of a client was tried with another secret, so that `status` warns of it until the client is revoked.
  private func noteContestedCode(of name: String) async {
    do throws(RPCError) {
      try await change(isOfClient: true, takesEffectUnwritten: true) { (contents) throws(RPCError) in
        (value: (), needsDisk: contents.book.noteContestedCode(of: name))
      }
    } catch {
      report(
        .error,
        "the node forgets at its next start that the code of '\(name)' was tried with another secret, since it cannot be stored: \(error.text)"
      )
    }
  }

  private func refuse(_ text: String) -> RPCError { RPCError(.unauthenticated, text, .init(.codeRefused)) }

  /// What was ended by revoking a client.
  struct Revocation: Sendable {
    /// How many connections of the client were ended.
    var connections: Int
    var ended: ClientBelongings.Ended
  }

  /// Removes a client, and ends its connections, leases, sessions and jobs. If the node no longer knows the client, only what is left of its leases,
  /// sessions and jobs is ended.
  func revoke(_ name: String, keepsJobs: Bool = false) async throws(RPCError) -> Revocation {
    let jobs: ClientBelongings.Jobs = keepsJobs ? .keep : .stop
    // The jobs are marked as kept before the client is removed. A call of the client may still begin a job: when that call ends, the node stops all
    // jobs of the client that are not kept.
    if keepsJobs { await state.withLock { $0.belongings }?.letJobsContinue(of: [name]) }
    let isRevoked = try await change { (contents) throws(RPCError) in
      let isRevoked = contents.book.revoke(name) != nil
      return (value: isRevoked, needsDisk: isRevoked)
    }
    guard isRevoked else {
      if let configured = configured.first(where: { $0.client.name == name }) {
        throw RPCError(
          .failedPrecondition,
          "'\(name)' is configured in \(configured.file): remove it there, then run 'capture-node reload'",
          .init(.valueNotPossible, field: "client", asked: .text(name)))
      }
      let left = await endBelongings(of: [name], jobs: jobs)
      if !left.isEmpty { return Revocation(connections: 0, ended: left) }
      try requireRead()
      let names = clients.map(\.name)
      throw RPCError(
        .notFound,
        "no client \(name.quoted); there are: \(names.isEmpty ? "none" : names.joined(separator: ", "))",
        .init(.unknownName, field: "client", asked: .text(name), possible: names))
    }
    report(.info, "revoked '\(name)'")
    let connections = await cut([name])
    return Revocation(
      connections: connections, ended: await endBelongings(of: [name], jobs: jobs))
  }

  /// Whether a client of that name has a valid credential.
  func knows(_ name: String) -> Bool { state.withLock { $0.contents.book.knows(name) } }

  var clients: [KnownClient] { state.withLock { $0.contents.book.clients } }

  /// Gives another secret to a client that was paired. Throws `resourceExhausted` while another one is being stored for it: each is a write, and what
  /// an administrator changes waits for all that were asked for before, also a revocation.
  func rotate(_ name: String, to secret: Digest) async throws(RPCError) {
    guard state.withLock({ $0.rotating.insert(name).inserted }) else {
      throw RPCError(
        .resourceExhausted, "a new secret for '\(name)' is being stored already; ask again once that is done")
    }
    defer { state.withLock { _ = $0.rotating.remove(name) } }
    let refusal = try await change(isOfClient: true) { (contents) throws(RPCError) in
      let refusal = contents.book.rotate(name, to: secret)
      return (value: refusal, needsDisk: refusal == nil)
    }
    switch refusal {
    case nil:
      report(.info, "'\(name)' gets a new secret; the old one is valid until the client has used the new one")
    case .knownSecret: throw refuse("that secret is another client's; each makes its own")
    default:
      throw RPCError(
        .failedPrecondition,
        "'\(name)' is not a client that was paired: another secret for it goes into the node's access.d (capturectl credential renew)",
        .init(.credentialRefused))
    }
  }

  /// Notes that a client has used its new secret: the old one is invalid from now on, even if that cannot be stored.
  func endOldSecret(of client: KnownClient) async {
    guard let next = client.next else { return }
    do throws(RPCError) {
      let isNew = try await change(isOfClient: true, takesEffectUnwritten: true) {
        (contents) throws(RPCError) in
        let isNew = contents.book.endSecret(replacedBy: next)
        return (value: isNew, needsDisk: isNew)
      }
      if isNew { report(.info, "'\(client.name)' has used its new secret; the old one is invalid now") }
    } catch {
      report(
        .error,
        "the old secret of '\(client.name)' is invalid only until the node's next start, since that cannot be stored: \(error.text)"
      )
    }
  }
}
