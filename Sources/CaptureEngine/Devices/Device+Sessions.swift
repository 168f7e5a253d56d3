import CaptureModel

extension Device {
  /// Gives the camera to a session. Throws `failedPrecondition` where another session has it, or where the default session has subscribers.
  func take(for new: CameraHold) async throws(CaptureError) {
    // A photo of the idle camera goes first.
    try await context.gates.enter(.photo)
    defer { context.gates.leave(.photo) }
    try await context.gates.enter(.stream)
    defer { context.gates.leave(.stream) }
    try context.stream.requireNoSession(of: name)
    _ = try context.camera.required()
    if let stream, !stream.hub.isIdle {
      throw CaptureError(
        .failedPrecondition,
        "\(name) streams \(stream.format.size) \(stream.format.pixelFormat) for \(stream.hub.holder.text); "
          + "a session can have it when that has ended",
        .init(.heldByStream, holder: stream.hub.holder.text, device: id.rawValue))
    }
    await stopIfIdle()
    context.stream.held(by: new)
  }

  /// Takes the camera from a session; its stream stops.
  func release(_ old: CameraHold) async {
    await context.gates.enterToCleanUp(.stream)
    defer { context.gates.leave(.stream) }
    guard hold === old else { return }
    await stopStream()
    context.stream.held(by: nil)
  }

  /// The stream that the camera would deliver for a preset, or for the format in its place.
  func resolve(_ preset: SessionPreset, _ format: ActiveFormat?) async throws(CaptureError) -> StreamRequest {
    let request = try await settings.frameDuration.resolve(preset, format)
    hold?.slows(settings.frameDuration.isSlowed(StreamFormat(request)))
    return request
  }

  /// Starts a session's stream.
  func startStream(_ wanted: StreamRequest, for owner: CameraHold) async throws(CaptureError) -> InputStream {
    await context.gates.enterToCleanUp(.stream)
    defer { context.gates.leave(.stream) }
    guard hold === owner else {
      throw CaptureError(
        .aborted, "\(name) was taken out of the session '\(owner.session)'",
        .init(.changeReplaced, holder: owner.session, device: id.rawValue))
    }
    if let stream { return inputStream(stream) }
    return inputStream(try await start(wanted))
  }

  /// Stops a session's stream. Its subscribers are not ended.
  func stopStream(for owner: CameraHold) async {
    await context.gates.enterToCleanUp(.stream)
    defer { context.gates.leave(.stream) }
    if hold === owner { await stopStream() }
  }

  /// A session's present stream; `nil`: it has none.
  func currentStream(for owner: CameraHold) -> InputStream? {
    hold === owner ? stream.map { inputStream($0) } : nil
  }

  private func inputStream(_ stream: ActiveStream) -> InputStream {
    InputStream(
      hub: stream.hub, video: stream.video, format: stream.format,
      running: settings.frameDuration.running(stream))
  }
}
