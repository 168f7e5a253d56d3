import CaptureEngine
import CaptureModel
import CaptureWire

import class CaptureEngine.Device

/// The engine for services: it gives them a ``SeenEngine`` for each call. A service has no other way to cameras and sessions.
struct ServedEngine: Sendable {
  private let engine: CaptureEngine
  private let leases: Leases

  init(_ engine: CaptureEngine, _ leases: Leases) { (self.engine, self.leases) = (engine, leases) }

  func seen(by context: CallContext) -> SeenEngine { SeenEngine(engine, leases, context) }
}

extension CallContext {
  /// The same call with the cameras that its caller sees in `medium`. It is for what a call of one medium says about another medium.
  func withCamerasSeen(in medium: AccessMedium) -> CallContext {
    var context = self
    context.caller = caller.withCamerasSeen(in: medium)
    return context
  }
}

/// An engine as a caller sees it. For the caller, a camera outside of its scope does not exist, nor does anything that belongs to the camera.
struct SeenEngine: Sendable {
  private let engine: CaptureEngine
  let leases: Leases
  private let context: CallContext
  var caller: Caller { context.caller }
  private var scope: CameraScope { context.caller.cameras }

  fileprivate init(_ engine: CaptureEngine, _ leases: Leases, _ context: CallContext) {
    (self.engine, self.leases, self.context) = (engine, leases, context)
  }

  // MARK: Cameras

  /// The cameras by index, including unplugged ones.
  var cameras: [CameraRoster.Entry] { engine.cameras(among: scope) }

  /// Every camera with its device.
  var all: [(entry: CameraRoster.Entry, device: Device)] { engine.all(among: scope) }

  /// Finds a camera, as ``CaptureEngine/device(_:among:)`` does.
  func device(_ reference: String) throws(CaptureError) -> Device {
    let device = try engine.device(reference, among: caller.visible)
    try permit(device.id)
    context.cameras?.add(device.id)
    return device
  }

  /// Throws `permissionDenied` for a camera that the caller sees and with which it may not make this call.
  func permit(_ camera: CameraID) throws(CaptureError) {
    guard !scope.contains(camera) else { return }
    throw CaptureError(
      .permissionDenied,
      "\(caller.name) may not call \(context.method.name) for '\(camera)', which it sees: its role for that camera is lower",
      .init(.notPermitted, field: "device", asked: .text(camera.rawValue)))
  }

  /// The caller with all cameras that it sees, also those with which it may not make this call: names are looked up among all of them.
  private var seeingCaller: Caller {
    var seeingCaller = caller
    seeingCaller.cameras = caller.visible
    return seeingCaller
  }

  /// Throws `permissionDenied` for a session without a name that another caller has made. Sessions with a name are for all callers that control their
  /// cameras (ADR 76).
  func requireOwn(session name: String) async throws(CaptureError) {
    guard let session = try? await engine.session(name, for: seeingCaller), !session.isNamed,
      !context.owns(session.owner.caller)
    else { return }
    throw CaptureError(
      .permissionDenied,
      "the session '\(name)' has no name of its own, and is for the client that made it; sessions with a name are for all who control their cameras",
      .init(.notPermitted, field: "session", asked: .text(name)))
  }

  /// Throws `permissionDenied` if the caller sees the session, but may not make this call for one of its cameras.
  private func permit(session name: String) async throws(CaptureError) {
    guard caller.visible != scope, let status = try? await engine.sessionStatus(name, for: seeingCaller)
    else {
      return
    }
    for input in status.configuration.inputs { try permit(CameraID(rawValue: input.camera)) }
  }

  /// Reports the cameras that are there, and every change. Send the caller only the ``visiblePart(of:)`` of each.
  func watch() async throws(CaptureError) -> DeviceWatch { try await engine.watch() }

  /// A change as the caller sees it; `nil`: the caller does not see the camera that has changed.
  func visiblePart(of event: CameraRoster.Event) -> CameraRoster.Event? { engine.seen(event, among: scope) }

  /// The cameras that should be served and are not. They have no identity, so only callers that see every camera are told.
  var missing: [String] { scope.isEvery ? engine.missing : [] }

  var storeFailure: StoreFailure? { engine.storeFailure }

  // MARK: Leases

  /// The leases that are held now.
  var visibleLeases: [Lease] { leases.leases.filter { scope.contains($0.camera) } }

  /// How many cameras are leased, or held by a running call.
  var leasedCameraCount: Int { leases.leasedCameraCount(among: scope) }

  /// Runs `body`, which changes `devices`, under the leases whose tokens came with the call. Without a lease it runs while no other client changes
  /// them.
  ///
  /// Every call that changes a camera goes through here, once: a call inside another one would wait for itself. `occupation` ("being calibrated")
  /// says that the call takes long: other calls are refused meanwhile instead of waiting.
  nonisolated(nonsending) func withLease<Value>(
    on devices: [Device], occupation: String? = nil, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    let claim = LeaseClaim(
      tokens: context.leaseTokens, cameras: devices.map(\.id),
      occupation: occupation.map { LeaseClaim.Occupation($0, holder: context.holder) })
    return try await leases.run(claim, body)
  }

  /// Does the same for one camera.
  nonisolated(nonsending) func withLease<Value>(
    on device: Device, occupation: String? = nil, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    try await withLease(on: [device], occupation: occupation, body)
  }

  // MARK: Sessions

  func sessions() async -> [SessionStatus] { await engine.sessions(for: caller) }

  func session(_ name: String) async throws(CaptureError) -> Session {
    try await permit(session: name)
    return try await engine.session(name, for: caller)
  }

  func sessionStatus(_ name: String) async throws(CaptureError) -> SessionStatus {
    try await engine.sessionStatus(name, for: caller)
  }

  /// The cameras of a session, and those of its new configuration.
  func cameras(
    ofSession name: String, and configuration: CaptureModel.SessionConfiguration?
  ) async throws(CaptureError) -> [Device] {
    let devices = try await engine.cameras(ofSession: name, and: configuration, for: seeingCaller)
    for device in devices { try permit(device.id) }
    for device in devices { context.cameras?.add(device.id) }
    return devices
  }

  /// Makes or changes a session. `isOnlyChecked`: changes nothing, and returns the session that this would make.
  func configure(
    _ name: String, _ configuration: CaptureModel.SessionConfiguration, revision: UInt64, starts: Bool,
    mustBeNew: Bool, isOnlyChecked: Bool
  ) async throws(CaptureError) -> SessionStatus {
    // The configuration names cameras that the caller sees. This checks that the caller may configure each of them.
    _ = try await cameras(ofSession: name, and: configuration)
    try await permit(session: name)
    let owner = SessionOwner(
      connection: context.connectionID, name: context.holder, client: context.clientName,
      caller: context.owner)
    return try await engine.configureSession(
      name, configuration, revision: revision, starts: starts, mustBeNew: mustBeNew,
      isOnlyChecked: isOnlyChecked, owner: owner, for: seeingCaller)
  }

  func closeSession(_ name: String) async throws(CaptureError) {
    try await permit(session: name)
    try await engine.closeSession(name, for: caller)
  }

  /// An event of a session; `nil`: the session has a camera now that the caller does not see.
  func visiblePart(of event: CaptureModel.SessionEvent) -> CaptureModel.SessionEvent? {
    guard CaptureEngine.isVisible(event.status, to: caller) else { return nil }
    var event = event
    event.text = redacted(event.text)
    event.status = visiblePart(of: event.status)
    return event
  }

  func visiblePart(of status: SessionStatus) -> SessionStatus {
    guard !scope.isEvery else { return status }
    var status = status
    status.interruption = status.interruption.map(redacted)
    if let message = status.error?.message { status.error?.message = redacted(message) }
    return status
  }

  // MARK: Texts

  /// A text about one of the caller's cameras, without the names of other cameras on its bus.
  func redacted(_ text: String) -> String {
    guard !scope.isEvery, let others = text.firstRange(of: BusTraffic.textBeforeOthers) else { return text }
    return String(text[..<others.lowerBound])
  }

  /// A text that was kept, such as the reason why a job has failed. It is redacted as by ``redacted(_:)-String``, and has no names of sessions that
  /// the caller does not see now.
  func redacted(kept text: String) async -> String {
    guard !scope.isEvery, !text.isEmpty else { return text }
    let names = await sessions().map(\.name)
    return redacted(text).replacing(/the session '([^']*)'/) { found in
      names.contains(String(found.1)) ? String(found.0) : "another client's session"
    }
  }

  /// A call's error, without the names of other cameras on a camera's bus, and without the names of sessions that the caller does not see.
  func redacted(_ error: any Error) async -> any Error {
    guard !scope.isEvery else { return error }
    var found = RPCError(any: error)
    var details = found.details
    found.text = redacted(found.text)
    for session in await engine.hiddenSessions(from: caller) {
      found.text = found.text.replacing("the session '\(session)'", with: "another client's session")
      if details?.holder == session { details?.holder = nil }
    }
    if details != found.details, let details {
      found.metadata = found.metadata.filter { $0.key != CallMetadata.errorKey } + [CallMetadata(details)]
    }
    return found
  }
}
