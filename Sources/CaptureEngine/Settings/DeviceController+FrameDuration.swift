import CaptureModel

/// Bounds of frames' duration. `activeVideoMinFrameDuration`, `activeVideoMaxFrameDuration`.
extension DeviceController {
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
      // Slower than its slowest, or faster than its fastest, the stream that runs cannot be.
      let reached = clamping.isAsked ? stream?.frameIntervals(of: formats) ?? ends : ends
      wanted.minimum = try clamping.take(asked.minimum, in: ends.lowerBound...reached.upperBound, by: name)
      wanted.maximum = try clamping.take(asked.maximum, in: reached.lowerBound...ends.upperBound, by: name)
    }
    try hold?.check(wanted, of: name)
    if let stream {
      _ = try await request(for: stream, within: wanted)
    } else if formats.allSatisfy({ $0.sizes.allSatisfy(\.isDiscrete) }) {
      // Of sizes in steps only the largest one's durations are known.
      _ = try kept(formats, within: wanted, for: VideoRequest())
    }
    return wanted
  }

  /// Of formats what keeps to bounds. Throws `invalidArgument`, naming the durations that there are, where nothing does that a request means.
  func kept(
    _ formats: [FormatDescription], within durations: SettingsChange.FrameDuration, for request: VideoRequest
  ) throws(CaptureError) -> [FormatDescription] {
    let kept = formats.compactMap { $0.bounded(by: durations) }
    guard formats.contains(where: { $0.isMeant(by: request) }),
      !kept.contains(where: { $0.isMeant(by: request) })
    else { return kept }
    let place = [request.sourceSize?.description, request.pixelFormat?.description].compactMap { $0 }
    throw CaptureError(
      .invalidArgument,
      "\(Setting.frameDuration) cannot be \(durations.text): frames of \(name)"
        + (place.isEmpty ? "" : " at \(place.joined(separator: " "))")
        + " last \(formats.durationsText(request)); take bounds with one of those within")
  }

  /// Remembers bounds.
  func bound(_ durations: SettingsChange.FrameDuration?) {
    settingsState.frameDuration = durations
    memory.frameDuration = durations == SettingsChange.FrameDuration() ? nil : durations
  }

  /// Has the stream that runs keep to a change's bounds; where it cannot, all of the change is taken back.
  func keepToFrameDuration(of undo: SettingsUndo) async throws(CaptureError) {
    do throws(CaptureError) {
      try await keepToFrameDuration(of: undo.change)
    } catch {
      await revoke(undo, error)
      // Only now: its session starts it again within the bounds that there are.
      if stream == nil { hold?.tell(.ended(error.message)) }
      throw error
    }
  }

  /// Has the stream that runs keep to the bounds: it starts anew where it has to, and its subscribers stay. Where it cannot, it goes on as it was.
  private func keepToFrameDuration(of change: UInt64) async throws(CaptureError) {
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    let latest = settingsState.frameDuration
    guard let camera, let stream, let durations = latest,
      case let wanted = try await request(for: stream, within: durations),
      wanted.interval != stream.format.interval, self.stream?.hub === stream.hub
    else {
      settingsState.keptFrameDuration = latest
      let now = FrameTimeline.Part.fromNowOn()
      return timeline.fulfil(change, .frameDuration, at: now.moment, delay: now.delay)
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
    settingsState.keptFrameDuration = durations
    timeline.fulfilWithStream(change, .frameDuration)
    hold?.tell(.reformatted)
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
        rate: await askedRate(of: stream)), for: .video, within: durations)
  }

  /// Frames a second that its first subscriber asked for, or its session.
  private func askedRate(of stream: ActiveStream) async -> Double? {
    guard let hold else { return stream.askedRate }
    guard let asked = hold.asked else { return nil }
    return try? await wanted(asked.preset, asked.format).request.rate
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

extension SettingsChange.FrameDuration {
  /// "from 1/30 to 1/15 s"
  fileprivate var text: String {
    let ends = [minimum.map { "from \($0.durationText)" }, maximum.map { "to \($0.durationText)" }]
    return ends.compactMap { $0 }.joined(separator: " ") + " s"
  }
}
