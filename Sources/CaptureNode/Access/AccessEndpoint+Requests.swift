import CaptureAccess
import CaptureModel
import CaptureWire

/// Callers' rights, requests for more, and decisions about these.
extension AccessEndpoint {
  func status(_ request: AccessStatusRequest, context: CallContext) throws -> AccessStatusResponse {
    try answer(request, context)
  }

  func watch(
    _ request: AccessStatusRequest, context: CallContext, responses: ResponseWriter<AccessStatusResponse>
  ) async throws {
    var last: AccessStatusResponse?
    for await _ in try access.news.signals(of: context.clientName) {
      guard let message = try news(request, context, since: &last) else { continue }
      try await responses.raw.send(message)
    }
    try Task.checkCancellation()
    throw CaptureError.nodeDraining
  }

  /// Returns the present answer, and notes it in `last`; `nil`: the answer differs from `last` only in the seconds that remain. This function is not
  /// inlined: while `watch` waits, it would keep memory for all local values of this function.
  @inline(never)
  private func news(
    _ request: AccessStatusRequest, _ context: CallContext, since last: inout AccessStatusResponse?
  ) throws -> RawMessage? {
    var context = context
    context.caller = access.current(context.caller)
    let answer = try answer(request, context)
    guard answer.withoutCountdowns != last else { return nil }
    last = answer.withoutCountdowns
    return answer.raw()
  }

  func request(_ request: AccessRequest, context: CallContext) async throws -> AccessStatusResponse {
    guard let wanted = try request.rights() else {
      try await access.withdrawRequest(context)
      return try answer(AccessStatusRequest(role: request.role), context)
    }
    let had = context.caller.allGrants
    try await access.ask(for: wanted, context)
    // The answer is the status of the first medium and camera that is not authorized, or else of the last one.
    var last = AccessStatusResponse()
    for medium in AccessMedium.allCases
    where wanted.media.isEmpty ? !had.of(medium).isEmpty : wanted.media.contains(medium) {
      for camera in wanted.cameras.isEmpty ? [""] : wanted.cameras {
        last = try answer(
          AccessStatusRequest(device: camera, role: request.role, medium: Medium(medium)), context)
        guard last.authorization == .authorized else { return last }
      }
    }
    return last
  }

  func pending(_ request: PendingAccessRequest, context: CallContext) -> PendingAccessResponse {
    let (now, boottime, cameras) = (NodeAccess.utc(), NodeAccess.boottime(), access.cameras)
    let pending = access.book.pending(now: now, boottime: boottime)
    return PendingAccessResponse(
      requests: pending.map { request, client in
        let granted = client.granted(request.wanted).grants
        let (seen, wouldSee) = (client.grants.of(.video).cameras, granted.of(.video).cameras)
        let access = CaptureModel.PendingAccess(
          client: client.name, number: request.number, fingerprint: "\(client.secret)", role: client.role,
          cameras: client.cameras.patterns, grants: client.grants, approved: granted,
          wanted: request.access,
          devices: cameras.filter { wouldSee?.contains($0) ?? false && !(seen?.contains($0) ?? false) },
          peer: request.peer)
        return CaptureWire.PendingAccess(access, for: request.secondsLeft(at: boottime))
      })
  }

  func decide(_ request: DecideAccessRequest, context: CallContext) async throws -> DecideAccessResponse {
    let client = try await access.decide(
      request.client, number: request.number == 0 ? nil : request.number, approves: request.approve,
      decider: context.clientName)
    return DecideAccessResponse(
      role: Role(client.role), cameras: client.cameras.patterns, grants: client.grants.map { Grant($0) })
  }

  private func answer(
    _ request: AccessStatusRequest, _ context: CallContext
  ) throws -> AccessStatusResponse {
    let (caller, book, boottime) = (context.caller, access.book, NodeAccess.boottime())
    var question = Authorization.Question()
    if request.role != .unspecified { question.role = try request.role.model("role") }
    if request.medium != .unspecified { question.medium = try request.medium.model("medium") }
    if !request.device.isEmpty {
      question.medium = question.medium ?? .video
      question.camera = try identity(of: request.device, context)
    }
    var authorization = Authorization(of: caller, to: question, in: book, boottime: boottime)
    (authorization.client, authorization.role) = (caller.name, caller.role)
    (authorization.cameras, authorization.grants) = (caller.cameras.patterns, caller.allGrants)
    let asked = context.clientName.flatMap { book.requests.request(of: $0, at: boottime) }
    authorization.wanted = asked?.access
    if let denial = context.clientName.flatMap({ book.requests.denial(of: $0, at: boottime) }) {
      authorization.denied = denial.denied
      authorization.untilNextRequest = .seconds((denial.end - boottime) / 1_000_000_000 + 1)
    }
    var answer = AccessStatusResponse(authorization, for: asked?.secondsLeft(at: boottime) ?? 0)
    (answer.encrypted, answer.expiresS) = (caller.isEncrypted, UInt64(caller.expires ?? 0))
    return answer
  }

  /// The identity of a camera that the caller sees, or the text itself where it is a pattern. Throws for any other text, whether it names a camera or
  /// not.
  private func identity(of device: String, _ context: CallContext) throws(RPCError) -> String {
    if let found = try? engine.seen(by: context.withCamerasSeen(in: .video)).device(device) {
      return found.id.rawValue
    }
    guard CameraScope.isPattern(device) else {
      throw RPCError(
        .invalidArgument,
        "\(device.quoted) is no camera that \(context.caller.name.isEmpty ? "you see" : "\(context.caller.name) sees"), and \(CameraScope.expectation)",
        .init(.valueNotPossible, field: "device", asked: .text(device)))
    }
    return device
  }
}

extension AccessRequest {
  /// The rights that the request asks for; `nil`: it withdraws the client's request.
  fileprivate func rights() throws -> AccessRequests.Rights? {
    let scope = try CameraScope(requested: cameras, of: nil)
    let wanted: AccessRole? = role == .unspecified ? nil : try role.model("role")
    guard wanted != .admin else {
      throw RPCError(
        .invalidArgument,
        "a client can ask for the roles view and control, not for admin; 'sudo capture-node pair --role admin' gives that",
        .init(.valueNotPossible, field: "role", asked: .text("admin"), possible: ["view", "control"]))
    }
    guard withdraw else {
      guard wanted != nil || !cameras.isEmpty || !media.isEmpty else {
        throw RPCError(
          .invalidArgument,
          "nothing is asked for: name patterns of cameras, media, or the role view or control",
          .init(.valueMissing, field: "cameras"))
      }
      return AccessRequests.Rights(
        role: wanted, cameras: scope.patterns, media: try media.model("media"))
    }
    guard wanted == nil, cameras.isEmpty, media.isEmpty else {
      throw RPCError(
        .invalidArgument, "a request is either withdrawn or asks for something",
        .init(.fieldsExclusive, field: "withdraw"))
    }
    return nil
  }
}

extension AccessRequests.Request {
  fileprivate var access: CaptureModel.WantedAccess {
    .init(role: wanted.role, cameras: wanted.cameras, media: wanted.media, asked: asked)
  }

  fileprivate func secondsLeft(at boottime: UInt64) -> UInt32 { UInt32((end - boottime) / 1_000_000_000) }
}

extension AccessStatusResponse {
  /// The answer without the seconds that remain, which change all the time.
  fileprivate var withoutCountdowns: AccessStatusResponse {
    var answer = self
    answer.wanted?.seconds = 0
    answer.askAgainSeconds = 0
    return answer
  }
}
