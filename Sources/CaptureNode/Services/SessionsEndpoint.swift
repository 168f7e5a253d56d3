import CaptureEngine
import CaptureModel
import CaptureWire

/// `capture.v1.Sessions`: which cameras run, in which format, and where their pictures go.
struct SessionsEndpoint: SessionsService {
  let engine: CaptureEngine

  func list(_ request: ListSessionsRequest, context: CallContext) async throws -> ListSessionsResponse {
    ListSessionsResponse(sessions: await engine.sessions().map { SessionState($0) })
  }

  func get(_ request: GetSessionRequest, context: CallContext) async throws -> SessionState {
    SessionState(try await engine.sessionStatus(request.session))
  }

  func configure(_ request: ConfigureSessionRequest, context: CallContext) async throws -> SessionState {
    guard let configuration = try request.configuration?.model() else {
      throw CaptureError(
        .invalidArgument, "the session's configuration is missing",
        .init(.valueMissing, field: "configuration"))
    }
    let owner = SessionOwner(connection: context.connectionID, name: context.holder)
    let (name, revision, starts) = (request.session, request.revision, request.start)
    return try await changing(name, configuration, context) {
      SessionState(
        request.dryRun
          ? try await engine.checkSession(
            name, configuration, revision: revision, starts: starts, mustBeNew: request.create, owner: owner)
          : try await engine.configureSession(
            name, configuration, revision: revision, starts: starts, mustBeNew: request.create, owner: owner))
    }
  }

  func presets(_ request: PresetsRequest, context: CallContext) async throws -> PresetsResponse {
    let presets = try await engine.device(request.device).run { device throws(CaptureError) in
      try await device.settings.frameDuration.presets()
    }
    return PresetsResponse(presets: presets.map { PresetSupport($0.preset, $0.stream) })
  }

  func start(_ request: StartSessionRequest, context: CallContext) async throws -> SessionState {
    let session = try await engine.session(request.session)
    return try await changing(request.session, nil, context) { SessionState(try await session.start()) }
  }

  func stop(_ request: StopSessionRequest, context: CallContext) async throws -> SessionState {
    let session = try await engine.session(request.session)
    return try await changing(request.session, nil, context) { SessionState(try await session.stop()) }
  }

  func close(_ request: CloseSessionRequest, context: CallContext) async throws -> CloseSessionResponse {
    try await changing(request.session, nil, context) { try await engine.closeSession(request.session) }
    return CloseSessionResponse()
  }

  func events(
    _ request: SessionEventsRequest, context: CallContext, responses: ResponseWriter<CaptureWire.SessionEvent>
  ) async throws {
    let session = try await engine.session(request.session)
    let watch = try await session.watch()
    defer { watch.end() }
    while let event = await watch.next() { try await responses.send(CaptureWire.SessionEvent(event)) }
    try Task.checkCancellation()
    if let ending = await session.ending, ending.details?.reason == .nodeDraining { throw ending }
  }

  /// Runs `body`, which changes a session, under the leases of its present cameras and of its new ones.
  private nonisolated(nonsending) func changing<Value>(
    _ session: String, _ configuration: CaptureModel.SessionConfiguration?, _ context: CallContext,
    _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    let devices = try await engine.cameras(ofSession: session, and: configuration)
    return try await engine.withLease(on: devices, context, body)
  }
}
