import CaptureModel

/// The stream that was started for a photo of an idle camera, and the subscribers who join it.
extension Photos {
  /// A subscriber joins the photo's stream. From here on the stream is his, and becomes what he asked for once the photo is over.
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

  /// Ends the photo's use of its stream, which stops, or soon continues as its first subscriber asked. The caller holds the gate `stream`.
  func leaveStream(of device: isolated Device) async {
    await device.stopIfIdle()
    guard context.stream.active?.wanted != nil else { return }
    // The photo does not wait for this, and this is not cancelled with the photo's call.
    context.tasks.start { device in
      await device.context.gates.enterToCleanUp(.stream)
      defer { device.context.gates.leave(.stream) }
      await device.photos.continueForSubscribers(on: device)
    }
  }

  private func continueForSubscribers(on device: isolated Device) async {
    guard device.hold == nil, let camera = device.camera, var stream = device.stream,
      let request = stream.wanted
    else { return }
    stream.wanted = nil
    context.stream.began(stream)
    let frameDuration = settings.frameDuration
    guard let wanted = try? await frameDuration.choose(request, for: .video), wanted != stream.request,
      context.stream.isActive(stream)
    else { return }
    var next = stream
    next.format = StreamFormat(wanted)
    let running = frameDuration.running(next)
    guard stream.video.canMove(to: running, from: stream.format) else { return }
    let reason = "the photo is over"
    await camera.stopStreaming()
    do throws(CaptureError) {
      stream.video.move(to: running, from: stream.format)
      try await device.restart(stream, as: wanted, of: camera, because: reason)
    } catch {
      stream.video.move(to: frameDuration.running(stream), from: next.format)
      let isBack = (try? await device.restart(stream, as: stream.request, of: camera, because: reason)) != nil
      if !isBack, context.stream.isActive(stream) { device.close(error) }
    }
  }
}
