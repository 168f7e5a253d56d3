import CaptureModel

extension Device {
  /// Gives the camera to a session. Throws `failedPrecondition` where another session has it, or where the default session has subscribers.
  /// Subscribers who had the camera before it was unplugged come first.
  func reserve(for new: CameraReservation) async throws(CaptureError) {
    try await context.stream.waitForFormerSubscribers(nil, of: context.camera)
    // A temporary use of the idle camera goes first.
    try await temporaryStreams.enter()
    defer { temporaryStreams.leave() }
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    try requireReservable()
    await stopIfIdle()
    context.stream.reserved(by: new)
  }

  /// Throws the error that a session gets if it asks for the camera now.
  func requireReservable() throws(CaptureError) { try context.stream.requireReservable(context.camera) }

  /// Takes the camera from a session; its stream stops.
  func release(_ old: CameraReservation) async {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    guard reservation === old else { return }
    await stopStream()
    context.stream.reserved(by: nil)
  }

  /// The stream that the camera would deliver for a preset; `format`, if given, takes the preset's place.
  func resolve(_ preset: SessionPreset, _ format: ActiveFormat?) async throws(CaptureError) -> StreamRequest {
    let request = try await frameDuration.resolve(preset, format)
    reservation?.setSlowed(frameDuration.isSlowed(StreamFormat(request)))
    return request
  }

  /// Starts a session's stream.
  func startStream(_ wanted: StreamRequest, for owner: CameraReservation) async throws(CaptureError)
    -> InputStream
  {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    try context.stream.requireReservation(owner, of: context.camera)
    if let stream { return InputStream(stream, frameDuration) }
    do throws(CaptureError) {
      let stream = try await start(wanted)
      try stream.requireRunning()
      return InputStream(stream, frameDuration)
    } catch {
      throw error.about(device: id)
    }
  }

  /// Returns why a session's stream does not start, after an attempt that failed with `error` (``CurrentCamera/obstacle(after:)``).
  func obstacle(after error: CaptureError) async -> (error: CaptureError, waitsForSource: Bool)? {
    await inputs.waitUntilKnown()
    return context.camera.obstacle(after: error)
  }

  /// Stops a session's stream. Its subscribers are not ended.
  func stopStream(for owner: CameraReservation) async {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    if reservation === owner { await stopStream() }
  }

  /// A session's present stream; `nil`: it has none.
  func currentStream(for owner: CameraReservation) -> InputStream? {
    reservation === owner ? stream.map { InputStream($0, frameDuration) } : nil
  }
}
