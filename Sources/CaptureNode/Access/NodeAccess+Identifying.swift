import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureTransport
import CaptureWire
import Glibc
import Synchronization

/// Identifies the caller of a connection.
extension NodeAccess {
  /// The caller of a connection that has sent no credential.
  func callerWithoutCredential(_ arrival: Arrival) throws(RPCError) -> Caller {
    switch arrival.way {
    case .unix(let user, let groups):
      let name = user == 0 ? "root" : "user \(user)"
      let isOwner = user == 0 || user == geteuid()
      let isMember = arrival.socketGroup.map(groups.contains) ?? false
      return Caller(.user(user), name: name, role: isOwner ? .admin : isMember ? .control : nil)
    case .loopback:
      if arrival.policy.trustsLocalUsers { return Caller(.trusted, name: "", role: .control) }
      guard arrival.isEncrypted else {
        throw RPCError(
          .unauthenticated,
          "this address asks everybody for a credential, since loopback does not tell who the caller is. "
            + (unixSocket.map { "The node's Unix socket does: capturectl --node \($0)" }
              ?? "A Unix socket would, and the node listens at none")
            + ". For a machine of one user a listener may say trustLocalUsers",
          .init(.notIdentified))
      }
      return .unknown
    case .network:
      guard arrival.isEncrypted else {
        guard !arrival.policy.takesPlaintext else {
          throw RPCError(
            .unauthenticated,
            "this address asks everybody for a credential. In the clear it has to be one made for that: capturectl credential new --plaintext",
            .init(.notIdentified))
        }
        throw RPCError(
          .unauthenticated,
          "this address takes TLS alone. Pair first: 'sudo capture-node pair' on the node's machine prints a line, 'capturectl pair' on this one "
            + "takes it",
          .init(.notEncrypted))
      }
      return .unknown
    }
  }

  /// The client that has this credential.
  func caller(with credential: [UInt8], _ arrival: Arrival) throws(RPCError) -> Caller {
    let found = state.withLock { $0.contents.book.client(secret: credential, now: Self.utc()) }
    switch found {
    case .failure(let refusal):
      let why =
        if case .expired(let name) = refusal { "the credential of '\(name)' has expired" } else {
          "the credential is unknown or revoked"
        }
      reportFailure(.warning, of: why, "refused a connection from \(arrival.peer): \(why)")
      throw RPCError(
        .unauthenticated,
        "\(why); pair again: 'sudo capture-node pair' on the node's machine prints a line for that",
        .init(.credentialRefused))
    case .success(let client):
      if client.isForPlaintext {
        guard arrival.way != .network || arrival.policy.takesPlaintext && !arrival.isEncrypted,
          !arrival.isEncrypted
        else {
          throw RPCError(
            .unauthenticated,
            "the credential of '\(client.name)' is only for addresses that take plaintext",
            .init(.credentialRefused))
        }
      } else if arrival.way == .network, !arrival.isEncrypted {
        // Others on the way may have read the credential.
        report(
          .error, "'\(client.name)' has sent its credential in the clear, from \(arrival.peer): it is revoked"
        )
        Task { await self.expose(Digest(of: credential), of: client.name) }
        throw RPCError(
          .unauthenticated,
          "the credential came in the clear, and others may have read it: it is revoked; pair again",
          .init(.credentialRefused))
      }
      if client.next == Digest(of: credential), book.withoutReplacedSecret(client).next != nil {
        Task { await self.endOldSecret(of: client) }
      } else {
        retryForClient()
      }
      return Caller(.client, name: client.name, role: client.role, expires: client.expires)
        .having(client.grants)
    }
  }

  /// Makes a secret invalid that others may have read, and revokes its client, even if that cannot be stored.
  func expose(_ secret: Digest, of name: String) async {
    // The book says which client was ended, if any: a reload since the Hello may have given the client `name` another secret, and that client is
    // still admitted.
    let ended = Mutex<String?>(nil)
    do throws(RPCError) {
      try await change(isOfClient: true, takesEffectUnwritten: true) { (contents) throws(RPCError) in
        let exposed = contents.book.expose(secret)
        ended.withLock { $0 = exposed.ended }
        return (value: (), needsDisk: exposed.isNew)
      }
    } catch {
      report(
        .error,
        "'\(name)' is revoked only until the node's next start, since that cannot be stored: \(error.text)"
      )
    }
    guard let client = ended.withLock({ $0 }) else { return }
    _ = await cut([client])
    await endBelongings(of: [client])
  }
}
