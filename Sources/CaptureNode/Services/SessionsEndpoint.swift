import CaptureEngine
import CaptureModel
import CaptureWire

/// `capture.v1.Sessions`: which cameras run, in which format, and where their pictures go.
struct SessionsEndpoint: SessionsService {
  let engine: ServedEngine

  func list(_ request: ListSessionsRequest, context: CallContext) async throws -> ListSessionsResponse {
    let seen = engine.seen(by: context)
    return ListSessionsResponse(
      sessions: await seen.sessions().map { SessionState(seen.visiblePart(of: $0)) })
  }

  func get(_ request: GetSessionRequest, context: CallContext) async throws -> SessionState {
    let seen = engine.seen(by: context)
    return SessionState(seen.visiblePart(of: try await seen.sessionStatus(request.session)))
  }

  func configure(_ request: ConfigureSessionRequest, context: CallContext) async throws -> SessionState {
    guard let configuration = try request.configuration?.model() else {
      throw CaptureError(
        .invalidArgument, "the session's configuration is missing",
        .init(.valueMissing, field: "configuration"))
    }
    let seen = engine.seen(by: context)
    return try await changing(request.session, configuration, context) {
      let status = try await seen.configure(
        request.session, configuration, revision: request.revision, starts: request.start,
        mustBeNew: request.create, isOnlyChecked: request.dryRun)
      return SessionState(seen.visiblePart(of: status))
    }
  }

  func presets(_ request: PresetsRequest, context: CallContext) async throws -> PresetsResponse {
    let presets = try await engine.seen(by: context).device(request.device).run {
      device throws(CaptureError) in
      try await device.frameDuration.presets()
    }
    return PresetsResponse(presets: presets.map { PresetSupport($0.preset, $0.stream) })
  }

  func start(_ request: StartSessionRequest, context: CallContext) async throws -> SessionState {
    let seen = engine.seen(by: context)
    return try await changing(request.session, nil, context) {
      SessionState(seen.visiblePart(of: try await seen.session(request.session).start()))
    }
  }

  func stop(_ request: StopSessionRequest, context: CallContext) async throws -> SessionState {
    let seen = engine.seen(by: context)
    return try await changing(request.session, nil, context) {
      SessionState(seen.visiblePart(of: try await seen.session(request.session).stop()))
    }
  }

  func close(_ request: CloseSessionRequest, context: CallContext) async throws -> CloseSessionResponse {
    try await changing(request.session, nil, context) {
      try await engine.seen(by: context).closeSession(request.session)
    }
    return CloseSessionResponse()
  }

  func events(
    _ request: consuming SessionEventsRequest, context: CallContext,
    responses: ResponseWriter<CaptureWire.SessionEvent>
  ) async throws {
    let seen = engine.seen(by: context)
    let session = try await seen.session(request.session)
    _ = consume request
    let watch = try await session.watch()
    defer { watch.end() }
    while let event = await watch.next() {
      guard let message = seen.raw(event) else {
        throw CaptureError(
          .unavailable, "the session '\(session.name)' was closed", .init(.sessionClosed))
      }
      try await responses.raw.send(message)
    }
    try Task.checkCancellation()
    if let reason = await session.endReason, reason.details?.reason == .nodeDraining { throw reason }
  }

  /// Runs `body`, which changes a session, under the leases of its present cameras and of its new ones.
  private nonisolated(nonsending) func changing<Value>(
    _ session: String, _ configuration: CaptureModel.SessionConfiguration?, _ context: CallContext,
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    let seen = engine.seen(by: context)
    try await seen.requireOwn(session: session)
    let devices = try await seen.cameras(ofSession: session, and: configuration)
    return try await seen.withLease(on: devices, body)
  }
}

extension SeenEngine {
  /// The event as the caller sees it; `nil`: the session has a camera now that the caller does not see. This is not inlined: while `events` waits, it
  /// would keep memory for the message and for all that making it needs.
  @inline(never)
  fileprivate func raw(_ event: CaptureModel.SessionEvent) -> RawMessage? {
    visiblePart(of: event).map { CaptureWire.SessionEvent($0).raw() }
  }
}
