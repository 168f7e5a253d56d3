import CaptureModel

/// The stream that was started for a photo of an idle camera, and the subscribers who join it.
extension Photos {
  /// A subscriber has joined the photo's stream. Once the photo is over, the stream becomes what its subscribers asked for.
  func joined(_ subscription: FrameSubscription, _ request: VideoRequest, to stream: ActiveStream)
    throws(CaptureError)
  {
    if let software = settings.automation.software, !stream.hub.isJoined(by: software) {
      try stream.hub.join(software)
    }
    var request = request
    // Raw frames of one kind cannot become others, except those into which the node converts.
    if request.encoding == .raw, request.target == nil { request.pixelFormat = stream.format.pixelFormat }
    var stream = stream
    stream.joined.append((subscription, request))
    context.stream.began(stream)
  }

  /// Has the stream of a photo that is over continue for its subscribers, soon: the photo does not wait for this, and this is not cancelled with its call.
  func scheduleContinuing() {
    context.tasks.start { device in
      let gates = device.context.gates
      await gates.photo.enterToCleanUp()
      defer { gates.photo.leave() }
      await gates.stream.enterToCleanUp()
      defer { gates.stream.leave() }
      await device.photos.continueForSubscribers(on: device)
    }
  }

  /// Has the stream of a photo that is over continue as its first subscriber asked, if all others keep what they have. It does nothing for any other
  /// stream. The caller holds the gates `photo` and `stream`: a photo that is being taken would lose its stream.
  func continueForSubscribers(on device: isolated Device) async {
    guard device.reservation == nil, let camera = device.camera, var stream = device.stream,
      !stream.isForSubscribers
    else { return }
    let present = stream.video.subscriptions
    let requests = stream.joined.filter { joined in
      present.contains { $0.isSame(as: joined.subscription) }
    }.map(\.request)
    guard let first = requests.first else { return await device.stopIfIdle() }
    (stream.isForSubscribers, stream.joined, stream.askedRate) = (true, [], first.rate)
    let frameDuration = settings.frameDuration
    var next = stream
    if let wanted = try? await frameDuration.choose(first, for: .video, converts: true) {
      next.format = StreamFormat(wanted)
    }
    guard context.stream.isActive(stream) else { return }
    if !stream.hub.isJoined(by: stream.recent) { _ = try? stream.hub.join(stream.recent) }
    let running = frameDuration.running(next)
    guard next.request != stream.request,
      requests.allSatisfy({ (try? FramePlan($0, in: running)) != nil })
    else { return context.stream.began(stream) }
    let reason = "the photo is over"
    await camera.stopStreaming()
    do throws(CaptureError) {
      stream.video.move(to: running, from: stream.format)
      try await device.restart(next, as: next.request, of: camera, because: reason)
    } catch {
      stream.video.move(to: frameDuration.running(stream), from: next.format)
      let isBack = (try? await device.restart(stream, as: stream.request, of: camera, because: reason)) != nil
      if !isBack, context.stream.isActive(stream) { device.close(error) }
    }
  }
}
