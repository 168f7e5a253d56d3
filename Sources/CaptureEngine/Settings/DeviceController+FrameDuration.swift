import CaptureModel

/// Bounds of frames' duration. `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
extension DeviceController {
  /// What the stream that runs would have within the bounds; `nil` without a stream. Throws where it cannot keep to them.
  func interval(within durations: SettingsChange.FrameDuration) async throws(CaptureError) -> FrameInterval? {
    guard let stream else { return nil }
    return try await request(for: stream, within: durations).interval
  }

  /// Throws where the camera, its session or the stream that runs cannot keep to them.
  func checkBounds(_ wanted: SettingsChange.FrameDuration) async throws(CaptureError) {
    try check(wanted, await formats())
    try hold?.check(wanted, of: name)
    _ = try await interval(within: wanted)
  }

  private func check(_ wanted: SettingsChange.FrameDuration, _ formats: [FormatDescription])
    throws(CaptureError)
  {
    if let minimum = wanted.minimum, let maximum = wanted.maximum, maximum < minimum {
      throw CaptureError(
        .invalidArgument, "frame durations from \(minimum.seconds) s down to \(maximum.seconds) s are none")
    }
    guard let range = formats.frameDurations else { return }
    for interval in [wanted.minimum, wanted.maximum] {
      if let interval {
        _ = try range.checked(interval.seconds, .frameDuration, clamping: false, by: name)
      }
    }
  }

  /// Remembers bounds.
  func bound(_ durations: SettingsChange.FrameDuration?) {
    settingsState.frameDuration = durations
    memory.frameDuration = durations == SettingsChange.FrameDuration() ? nil : durations
  }

  /// As ``keepToFrameDuration()``; where it cannot, `former` bounds hold again.
  func keepToFrameDuration(
    _ wanted: SettingsChange.FrameDuration?, orTo former: SettingsChange.FrameDuration?
  ) async throws(CaptureError) {
    do throws(CaptureError) {
      try await keepToFrameDuration()
    } catch {
      // Another client's count, where it has set others since.
      if settingsState.frameDuration == wanted { bound(former) }
      softwareChanged()
      throw error
    }
  }

  /// Has the stream that runs keep to the bounds: it starts anew where it has to, and its subscribers stay. Where it cannot, it goes on as it was.
  func keepToFrameDuration() async throws(CaptureError) {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    guard let camera, let stream, let durations = settingsState.frameDuration else { return }
    let wanted = try await request(for: stream, within: durations)
    guard wanted.interval != stream.format.interval, self.stream?.hub === stream.hub else { return }
    if let hold {
      // Its session starts it again, by its own rules.
      await stopStream()
      return hold.tell(.ended("its frames' duration was changed"))
    }
    await camera.stopStreaming()
    do throws(CaptureError) {
      try await restart(stream, as: wanted, of: camera)
    } catch {
      let former = StreamRequest(
        pixelFormat: stream.format.pixelFormat, size: stream.format.size, interval: stream.format.interval)
      let isBack = (try? await restart(stream, as: former, of: camera)) != nil
      if !isBack { end(stream, error) }
      throw error
    }
  }

  private func restart(_ stream: ActiveStream, as wanted: StreamRequest, of camera: any Camera)
    async throws(CaptureError)
  {
    guard self.stream?.hub === stream.hub else {
      throw CaptureError(.unavailable, "\(name) was unplugged")
    }
    timeline.streamEnded()
    timeline.streamStarted(interval: wanted.interval)
    stream.hub.reconfigured("frames come at \(wanted.interval.map(\.description) ?? "another rate") now")
    let format = try await camera.startStreaming(wanted, into: stream.hub)
    self.stream = ActiveStream(hub: stream.hub, format: format, askedRate: stream.askedRate)
    await restoreControlsForStream(of: camera)
    await restoreCrop(of: camera)
  }

  /// The same picture at the rate that was asked for first, taken into the bounds.
  private func request(for stream: ActiveStream, within durations: SettingsChange.FrameDuration)
    async throws(CaptureError) -> StreamRequest
  {
    let format = stream.format
    return try await choose(
      VideoRequest(
        encoding: format.pixelFormat.isJPEG ? .jpeg : .raw, pixelFormat: format.pixelFormat,
        size: format.size,
        rate: stream.askedRate), for: .video, within: durations)
  }
}
