import CaptureModel

/// Bounds of frames' duration. `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
extension DeviceController {
  /// What the stream that runs would have within the bounds; `nil` without a stream. Throws where it cannot keep to them.
  func interval(within durations: SettingsChange.FrameDuration) async throws(CaptureError) -> FrameInterval? {
    guard let stream else { return nil }
    return try await request(for: stream, within: durations).interval
  }

  /// Has the stream that runs keep to the bounds: it starts anew where it has to, and its subscribers stay.
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
    timeline.streamEnded()
    timeline.streamStarted(interval: wanted.interval)
    stream.hub.reconfigured("frames come at \(wanted.interval.map(\.description) ?? "another rate") now")
    do throws(CaptureError) {
      let format = try await camera.startStreaming(wanted, into: stream.hub)
      self.stream = ActiveStream(hub: stream.hub, format: format, askedRate: stream.askedRate)
    } catch {
      end(stream, error)
      throw error
    }
    await restoreControlsForStream(of: camera)
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
