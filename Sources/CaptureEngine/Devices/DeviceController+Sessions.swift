import CaptureModel
import CaptureSystem

/// A session's camera, streaming.
struct SessionStream: Sendable {
  let hub: StreamHub
  let format: StreamFormat
  /// As requests have to fit into it.
  let running: RunningStream
}

extension DeviceController {
  /// Gives the camera to a session. Throws `failedPrecondition` where another has it, or the default session has subscribers.
  func take(for new: CameraHold) async throws(CaptureError) {
    try await turnstile.enter()
    defer { turnstile.leave() }
    try requireNoSession()
    _ = try presentCamera()
    if let stream, !stream.hub.isIdle {
      throw CaptureError(
        .failedPrecondition,
        "\(name) streams \(stream.format.size) \(stream.format.pixelFormat) for \(stream.hub.holder); "
          + "a session can have it when that has ended")
    }
    await stopIfIdle()
    hold = new
  }

  /// Takes it away again; its stream stops.
  func release(_ old: CameraHold) async {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    guard hold === old else { return }
    await stopStream()
    hold = nil
  }

  /// As ``switchTorchOff()``, as far as the camera does it.
  func darken() async {
    do throws(CaptureError) {
      try await switchTorchOff()
    } catch {
      note(.controlNotRestored, "the torch could not be switched off: \(error.message)")
    }
  }

  func requireNoSession() throws(CaptureError) {
    guard let hold else { return }
    throw CaptureError(
      .failedPrecondition,
      "\(name) is in the session '\(hold.session)', and a camera is in one session at a time; "
        + "take pictures from that session, or take the camera out of it")
  }

  /// What the camera would stream for a preset, or for the format that is named instead.
  func resolve(_ preset: SessionPreset, _ format: ActiveFormat?) async throws(CaptureError) -> StreamRequest {
    let wanted = try await wanted(preset, format)
    let request = try await choose(wanted.request, for: wanted.purpose, within: settingsState.frameDuration)
    if let format { try await presets().check(request, against: format) }
    return request
  }

  /// What a preset asks for, or the format that is named instead.
  func wanted(_ preset: SessionPreset, _ format: ActiveFormat?) async throws(CaptureError)
    -> PresetChoice.Wanted
  {
    let choice = try await presets()
    return if let format { try choice.wanted(format) } else { try choice.wanted(preset) }
  }

  private func presets() async throws(CaptureError) -> PresetChoice {
    PresetChoice(camera: name, formats: try await formats(), isEncodable: imaging.isEncodable)
  }

  /// Starts a session's stream.
  func startStream(_ wanted: StreamRequest, for owner: CameraHold) async throws(CaptureError) -> SessionStream
  {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    guard hold === owner else {
      throw CaptureError(.aborted, "\(name) was taken out of the session '\(owner.session)'")
    }
    if let stream { return sessionStream(stream, owner) }
    return sessionStream(try await start(wanted), owner)
  }

  /// Stops a session's stream; its subscribers are not ended by that.
  func stopStream(for owner: CameraHold) async {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    if hold === owner { await stopStream() }
  }

  /// As a session's stream is now; `nil`: it has none.
  func currentStream(for owner: CameraHold) -> SessionStream? {
    hold === owner ? stream.map { sessionStream($0, owner) } : nil
  }

  private func sessionStream(_ stream: ActiveStream, _ owner: CameraHold) -> SessionStream {
    var running = running(stream)
    running.holder = "the session '\(owner.session)'"
    return SessionStream(hub: stream.hub, format: stream.format, running: running)
  }

  /// What a stream of `wanted` will be, as far as that can be said before.
  nonisolated func expected(_ wanted: StreamRequest, for owner: CameraHold) -> RunningStream {
    RunningStream(
      camera: name,
      format: StreamFormat(
        pixelFormat: wanted.pixelFormat, size: wanted.size, interval: wanted.interval, planes: []),
      isEncodable: imaging.isEncodable(wanted.pixelFormat),
      isTurnable: imaging.isTurnable(wanted.pixelFormat), holder: "the session '\(owner.session)'")
  }

  /// A photo from a session's stream. Throws `failedPrecondition` where that does not run.
  func capturePhoto(
    _ request: VideoRequest, requested: UInt64, for owner: CameraHold,
    progress: @Sendable (PhotoProgress) -> Void
  ) async throws(CaptureError) -> Picture {
    try request.validate()
    guard hold === owner, let stream else {
      throw CaptureError(
        .failedPrecondition, "the session '\(owner.session)' does not run; start it to take photos")
    }
    return try await take(request, from: stream, requested: requested, progress: progress)
  }
}
