import CaptureModel

/// The stream of a photo that was taken of an idle camera, and who joins it.
extension Device {
  /// A subscriber joins the stream that was begun for a photo alone: it is his from here on, and becomes what he asked for once the photo is over.
  func subscribed(_ request: VideoRequest, to stream: ActiveStream) throws(CaptureError) {
    var joined = stream
    (joined.isForSubscribers, joined.askedRate) = (true, request.rate)
    joined.wanted = request
    // Raw frames of one kind cannot become others.
    if request.encoding == .raw { joined.wanted?.pixelFormat = stream.format.pixelFormat }
    context.stream.began(joined)
    if let software = settings.automation.software, !stream.hub.isJoined(by: software) {
      try stream.hub.join(software)
    }
  }

  /// A photo is over: the stream that was begun for it stops, or soon goes on as its first subscriber asked. The caller holds the gate `stream`.
  func leavePhotoStream() async {
    await stopIfIdle()
    guard stream?.wanted != nil else { return }
    // The photo waits no longer, and is not cancelled with its call.
    context.tasks.start { device in
      await device.context.gates.enterToCleanUp(.stream)
      defer { device.context.gates.leave(.stream) }
      await device.becomeWhatWasAskedFor()
    }
  }

  private func becomeWhatWasAskedFor() async {
    guard hold == nil, let camera, var stream, let request = stream.wanted else { return }
    stream.wanted = nil
    context.stream.began(stream)
    guard let wanted = try? await settings.frameDuration.choose(request, for: .video),
      wanted != stream.request,
      context.stream.isActive(stream)
    else { return }
    var next = stream
    next.format = StreamFormat(wanted)
    let running = settings.frameDuration.running(next)
    guard stream.video.canMove(to: running, from: stream.format) else { return }
    await camera.stopStreaming()
    do throws(CaptureError) {
      stream.video.move(to: running, from: stream.format)
      try await restart(stream, as: wanted, of: camera, because: "the photo is over")
    } catch {
      stream.video.move(to: settings.frameDuration.running(stream), from: next.format)
      let isBack =
        (try? await restart(stream, as: stream.request, of: camera, because: "the photo is over")) != nil
      if !isBack, context.stream.isActive(stream) { close(error) }
    }
  }
}
