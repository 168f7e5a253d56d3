import CaptureAccess
import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureTransport
import CaptureWire
import Glibc

/// `capture.v1.Access`: pairing, clients, and whether the node is open to the network.
struct AccessEndpoint: AccessService {
  let access: NodeAccess
  let engine: ServedEngine

  func pair(_ request: PairRequest, context: CallContext) async throws -> PairResponse {
    guard request.code.count == PairingLine.codeLength, let secret = Digest(bytes: request.secretSha256)
    else {
      throw RPCError(
        .invalidArgument,
        "a code has \(PairingLine.codeLength) bytes, and the SHA-256 of a secret has \(Digest.count)",
        .init(
          .valueNotPossible, field: request.code.count == PairingLine.codeLength ? "secret_sha256" : "code"))
    }
    do {
      let client = try await access.pair(
        code: request.code, secret: secret, name: request.name, peer: context.peer)
      return PairResponse(
        client: client.name, role: Role(client.role), node: CameraNode.name,
        expiresS: UInt64(client.expires ?? 0))
    } catch {
      // An address may have eight connections without an identity, so the delay slows down whoever guesses codes.
      if let server = access.server {
        try await Task.sleep(for: server.delayRefusal(ofConnection: context.connectionID))
      }
      throw error
    }
  }

  func newPairing(_ request: NewPairingRequest, context: CallContext) async throws -> NewPairingResponse {
    let (grants, patterns) = (try request.asked(), request.cameras + request.grants.flatMap(\.cameras))
    guard request.name.isEmpty || KnownClient.isName(request.name) else {
      throw RPCError(
        .invalidArgument,
        "a client's name has \(KnownClient.namePattern), not \(request.name.quoted)",
        .init(.valueNotPossible, field: "name", asked: .text(request.name)))
    }
    guard let port = UInt16(exactly: request.port == 0 ? UInt32(SocketAddress.defaultPort) : request.port)
    else {
      throw RPCError(
        .invalidArgument, "a port is a number from 1 to 65535, not \(request.port)",
        .init(.valueOutOfRange, field: "port", asked: .number(Double(request.port))))
    }
    let seconds = request.clientSeconds == 0 ? nil : Int64(min(request.clientSeconds, 3_200_000_000))
    try requireExpiry(after: seconds, notAfter: context.caller)
    // The code is made first, so that where there is room for none, nothing is opened.
    let code = try await access.newCode(
      grants: grants, name: request.name, clientSeconds: seconds, maker: context.clientName)
    let opening: (port: UInt16, isNew: Bool)
    do { opening = try await access.open(port: port) } catch {
      await access.forget(code: code)
      if let error = error as? RPCError { throw error }
      let refused = error as? ListenError
      let isTaken = refused?.cause.rawValue == EADDRINUSE
      let port = refused?.address.port ?? port
      throw RPCError(
        .failedPrecondition, "the node cannot be opened to the network: \(error)",
        isTaken
          ? .init(.valueNotPossible, field: "port", asked: .number(Double(port))) : .init(.noPermission))
    }
    return NewPairingResponse(
      code: code, pin: access.identity?.pin.bytes ?? [], port: UInt32(opening.port), opened: opening.isNew,
      seconds: UInt32(AccessBook.codeLife / 1_000_000_000), host: CameraNode.name,
      unmatched: CameraScope(patterns).unmatched(by: access.cameras), grants: grants.map { Grant($0) })
  }

  /// Throws where the new client, which expires after `seconds`, would expire later than the client that makes its code.
  private func requireExpiry(after seconds: Int64?, notAfter maker: Caller) throws(RPCError) {
    guard let end = maker.expires else { return }
    // The code may be used at the last moment of its life, so the client's time is shorter by that life.
    let most = max(0, end - NodeAccess.utc() - Int64(AccessBook.codeLife / 1_000_000_000))
    guard seconds ?? .max > most else { return }
    throw RPCError(
      .permissionDenied,
      "\(maker.name) expires, and can pair no client that expires later than itself: up to \(most) s from now",
      .init(
        .notPermitted, field: "client_seconds", asked: seconds.map { .number(Double($0)) },
        range: .init(0, Double(most))))
  }

  func clients(_ request: ListClientsRequest, context: CallContext) -> ListClientsResponse {
    let (callers, book) = (access.callers, access.book)
    return ListClientsResponse(
      clients: (book.clients + access.configured.map { book.withoutReplacedSecret($0.client) }).map {
        client in
        let own = callers.filter { $0.caller.kind == .client && $0.caller.name == client.name }
        let paired = PairedClient(
          name: client.name, fingerprint: "\(client.secret)", role: client.role.rawValue,
          expires: Int64(client.expires ?? 0), cameras: client.cameras.patterns, grants: client.grants,
          peers: own.map(\.arrival.peer))
        return ClientInfo(paired, created: Int64(client.created))
      })
  }

  func revoke(_ request: RevokeRequest, context: CallContext) async throws -> RevokeResponse {
    let revocation = try await access.revoke(request.client, keepsJobs: request.keepJobs)
    let ended = revocation.ended
    return RevokeResponse(
      connections: UInt32(revocation.connections), sessions: ended.sessions, jobs: ended.jobs,
      usedSessions: ended.usedSessions, problems: ended.problems)
  }

  func listen(_ request: ListenRequest, context: CallContext) async throws -> ListenResponse {
    let ended = request.close ? try await access.close() : access.networkConnections
    return ListenResponse(
      addresses: access.networkAddresses.map(\.description), pin: access.identity?.pin.bytes ?? [],
      certificate: access.identity.map { Array($0.certificatePEM.utf8) } ?? [], connections: UInt32(ended))
  }

  func rotate(_ request: RotateRequest, context: CallContext) async throws -> RotateResponse {
    guard let secret = Digest(bytes: request.secretSha256) else {
      throw RPCError(
        .invalidArgument, "the SHA-256 of a secret has \(Digest.count) bytes",
        .init(.valueNotPossible, field: "secret_sha256"))
    }
    guard context.caller.kind == .client else {
      throw RPCError(
        .failedPrecondition, "this connection has no credential, so there is none to replace",
        .init(.notIdentified))
    }
    try await access.rotate(context.caller.name, to: secret)
    return RotateResponse()
  }

  func newIdentity(_ request: NewIdentityRequest, context: CallContext) async throws -> NewIdentityResponse {
    let made = try await access.newIdentity()
    return NewIdentityResponse(
      pin: made.pin.bytes, clients: made.clients, configured: access.configured.map(\.client.name))
  }

  func reload(_ request: ReloadRequest, context: CallContext) async throws -> ReloadResponse {
    let outcome = try await access.reload()
    return ReloadResponse(
      clients: UInt32(outcome.clients), ended: outcome.ended, connections: UInt32(outcome.connections),
      nextStart: outcome.nextStart, warnings: outcome.warnings)
  }
}
