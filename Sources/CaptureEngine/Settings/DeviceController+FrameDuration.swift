import CaptureModel
import CaptureSystem

/// Bounds of frames' duration. `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
extension DeviceController {
  /// What the stream that runs would have within the bounds; `nil` without a stream. Throws where it cannot keep to them.
  func interval(within durations: SettingsChange.FrameDuration) async throws(CaptureError) -> FrameInterval? {
    guard let stream else { return nil }
    return try await request(for: stream, within: durations).interval
  }

  /// The bounds to take; with clamping the nearest that the camera and the stream that runs have. Throws where the camera, its session or that
  /// stream cannot keep to them.
  func bounds(_ asked: SettingsChange.FrameDuration, _ clamping: inout Clamping)
    async throws(CaptureError) -> SettingsChange.FrameDuration
  {
    if let minimum = asked.minimum, let maximum = asked.maximum, maximum < minimum {
      throw CaptureError(
        .invalidArgument, "frame durations from \(minimum.seconds) s down to \(maximum.seconds) s are none")
    }
    let formats = try await formats()
    var wanted = asked
    if let ends = formats.frameIntervals {
      wanted.minimum = try clamping.take(asked.minimum, in: ends, by: name)
      wanted.maximum = try clamping.take(asked.maximum, in: ends, by: name)
    }
    if clamping.isAsked, let ends = stream?.frameIntervals(of: formats) {
      // Slower than its slowest, or faster than its fastest, the stream cannot be.
      if let minimum = wanted.minimum, minimum > ends.upperBound {
        wanted.minimum = try clamping.take(minimum, in: ends, by: name)
      }
      if let maximum = wanted.maximum, maximum < ends.lowerBound {
        wanted.maximum = try clamping.take(maximum, in: ends, by: name)
      }
    }
    try hold?.check(wanted, of: name)
    _ = try await interval(within: wanted)
    return wanted
  }

  /// Remembers bounds.
  func bound(_ durations: SettingsChange.FrameDuration?) {
    settingsState.frameDuration = durations
    memory.frameDuration = durations == SettingsChange.FrameDuration() ? nil : durations
  }

  /// What a stream has to do with a change of its bounds.
  enum Restart {
    /// It has them already, or there is none.
    case needless
    case done
    /// Its session starts it again.
    case toCome
  }

  /// Has the stream that runs keep to a change's bounds; where it cannot, all of the change is taken back.
  func keepToFrameDuration(of undo: SettingsUndo) async throws(CaptureError) {
    do throws(CaptureError) {
      switch try await keepToFrameDuration() {
      case .needless:
        let now = MonotonicClock.now()
        timeline.fulfil(
          undo.change, .frameDuration, at: ControlMoment(began: now, ended: now),
          delay: ControlDelay(frames: 0, provenance: .reported))
      case .done: timeline.fulfilWithStream(undo.change, .frameDuration, isToStart: false)
      case .toCome: timeline.fulfilWithStream(undo.change, .frameDuration, isToStart: true)
      }
    } catch {
      await revoke(undo, error)
      throw error
    }
  }

  /// Has the stream that runs keep to the bounds: it starts anew where it has to, and its subscribers stay. Where it cannot, it goes on as it was.
  private func keepToFrameDuration() async throws(CaptureError) -> Restart {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    guard let camera, let stream, let durations = settingsState.frameDuration else { return .needless }
    let wanted = try await request(for: stream, within: durations)
    guard wanted.interval != stream.format.interval, self.stream?.hub === stream.hub else { return .needless }
    if let hold {
      // By its own rules.
      await stopStream()
      hold.tell(.ended("its frames' duration was changed"))
      return .toCome
    }
    await camera.stopStreaming()
    do throws(CaptureError) {
      try await restart(stream, as: wanted, of: camera)
      return .done
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

extension Clamping {
  /// A bound of frames' duration, or the nearest that there is.
  fileprivate mutating func take(
    _ asked: FrameInterval?, in ends: ClosedRange<FrameInterval>, by camera: String
  ) throws(CaptureError) -> FrameInterval? {
    guard let asked else { return nil }
    let range = SettingsDescription.ValueRange(
      minimum: ends.lowerBound.seconds, maximum: ends.upperBound.seconds,
      defaultValue: ends.lowerBound.seconds)
    _ = try take(asked.seconds, in: range, .frameDuration, by: camera)
    if range.contains(asked.seconds) { return asked }
    return asked < ends.lowerBound ? ends.lowerBound : ends.upperBound
  }
}
