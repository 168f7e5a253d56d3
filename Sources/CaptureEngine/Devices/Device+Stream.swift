import CaptureControls
import CaptureModel
import CaptureSystem

/// Starts, stops and restarts the stream. Callers hold the gate `stream`, except where the stream ends by itself.
extension Device {
  /// Starts a stream for `request`. `purpose`: how its format is chosen.
  func start(
    _ request: VideoRequest, _ purpose: FormatChoice.Purpose = .video, for use: StreamUse = .subscribers
  ) async throws(CaptureError) -> ActiveStream {
    let wanted = try await frameDuration.choose(request, for: purpose, converts: true)
    do throws(CaptureError) {
      return try await start(wanted, for: use, askedRate: request.rate)
    } catch {
      // The driver refused a format that it had listed; its list may have changed by now.
      guard error.code == .invalidArgument else { throw error }
      let other = try await frameDuration.choose(request, for: purpose, converts: true)
      guard other != wanted else { throw error }
      return try await start(other, for: use, askedRate: request.rate)
    }
  }

  /// Starts exactly this stream.
  func start(
    _ wanted: StreamRequest, for use: StreamUse = .subscribers, askedRate: Double? = nil
  ) async throws(CaptureError) -> ActiveStream {
    let (current, timeline) = (context.camera, context.timeline)
    let camera = try current.required()
    // The camera may still be switching to the chosen input: this waits for that.
    await inputs.check(camera)
    let hub = StreamHub(timeline: timeline, defect: imaging.defect) {
      [tasks = context.tasks, notify = current.notify, reservation] kind, text in
      notify(kind, text)
      tasks.enqueue { $0.streamReported(kind) }
      reservation?.report(kind, text)
    } becameIdle: { [tasks = context.tasks] in
      tasks.enqueue { device in tasks.start { await $0.leaveStream() } }
    }
    var use = use
    use.isOfSession = reservation != nil
    try onlookers.join(hub, for: use)
    let prepared = Task { await settings.prepare(of: camera) }
    timeline.streamStarted(interval: wanted.interval)
    let format: StreamFormat
    do throws(CaptureError) {
      format = try await camera.startStreaming(wanted, into: hub)
    } catch {
      // A driver that held the start may yet begin, and give frames until it is stopped again.
      if !current.isPresent(camera) { hub.end(error) }
      timeline.streamEnded()
      if error.code == .invalidArgument { current.forgetFormats() }
      throw inputs.explain(traffic.explain(error, of: camera.description))
    }
    timeline.setInterval(format.interval)
    await prepared.value
    do throws(CaptureError) {
      try current.require(camera)
      if let end = hub.end { throw end }
      try format.require(wanted, of: name)
    } catch {
      if current.isPresent(camera) { await camera.stopStreaming() }
      hub.end(error)
      timeline.streamEnded()
      throw error
    }
    let video = VideoOutput(
      of: hub, format.size, camera: id, imaging: imaging,
      workers: FrameWorkers(workers, imaging), limits: limits)
    let stream = ActiveStream(
      hub: hub, video: video, format: format, askedRate: askedRate, temporaryUse: use.temporary)
    context.stream.began(stream)
    inputs.streamStarted()
    settings.streamChanged()
    traffic.note(camera.description, format)
    // `prepare` did not know the width of the frames yet, on which some controls depend.
    await settings.formatChanged(of: camera)
    await settings.restoreForStream(of: camera)
    return stream
  }

  /// Stops the stream when nobody wants it. A session's stream runs until the session stops it.
  func stopIfIdle() async {
    guard reservation == nil, let stream, stream.hub.isIdle else { return }
    await stopStream()
  }

  func stopStream() async {
    let camera = self.camera
    endStream(CaptureError(.unavailable, "the stream was stopped", .init(.streamEnded)))
    await camera?.stopStreaming()
  }

  /// Handles a notice of the stream.
  fileprivate func streamReported(_ kind: CameraNotice.Kind) {
    switch kind {
    case .ended:
      // The hub has told the stream's subscribers already.
      guard let stream, stream.hub.end != nil else { return }
      context.stream.noteFormerStream()
      // The camera may no longer have the format.
      context.camera.forgetFormats()
      endStream(CaptureError(.unavailable, "the stream ended", .init(.streamEnded)))
    case .resumed:
      // The stream was restarted. Some drivers forget controls then, or choose another part of the sensor.
      guard let camera else { return }
      Task { await settings.restoreForStream(of: camera) }
    default: break
    }
  }

  /// Ends the stream for its consumers, also a stream that was about to start and will not. The caller stops the camera.
  func endStream(_ error: CaptureError) {
    context.timeline.streamEnded()
    guard let stream = context.stream.ended() else { return }
    stream.hub.end(error)
    count(stream.hub)
    settings.streamEnded()
    if let description = context.camera.description { traffic.note(description, nil) }
  }

  /// Ends a stream that cannot go on, unless another one has taken its place.
  func end(_ stream: ActiveStream, because error: CaptureError) {
    let error = inputs.explain(error)
    if context.stream.isActive(stream) { endStream(error) }
    reservation?.report(.ended, error.message)
  }

  /// Starts a stopped stream again, for its subscribers. `reason`: given in the first frame's discontinuity. `restores`: whether the values that
  /// clients had set are restored.
  func restart(
    _ stream: ActiveStream, as wanted: StreamRequest, of camera: any Camera, because reason: String,
    restores: Bool = true
  ) async throws(CaptureError) {
    guard context.stream.isActive(stream) else { throw stream.hub.end ?? context.camera.departure }
    context.timeline.streamEnded()
    context.timeline.streamStarted(interval: wanted.interval)
    stream.hub.reconfigured(reason)
    let format = try await camera.startStreaming(wanted, into: stream.hub)
    guard context.stream.isActive(stream), stream.hub.end == nil else {
      await camera.stopStreaming()
      throw stream.hub.end ?? context.camera.departure
    }
    traffic.note(camera.description, format)
    context.timeline.setInterval(format.interval)
    context.stream.began(stream.inFormat(format))
    stream.video.finishMove()
    if restores { await settings.restoreForStream(of: camera) }
  }
}
