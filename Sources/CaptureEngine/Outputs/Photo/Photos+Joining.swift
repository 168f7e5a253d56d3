import CaptureModel

/// The stream that was started for a photo of an idle camera, and the subscribers who join it.
extension Photos {
  /// A subscriber has joined the photo's stream. Once the photo is over, the stream becomes what its subscribers asked for.
  func joined(_ subscription: FrameSubscription, _ request: VideoRequest, to stream: ActiveStream)
    throws(CaptureError)
  {
    try context.onlookers.join(stream.hub, for: StreamUse(isForSubscribers: false, isForAutomation: true))
    var request = request
    // Raw frames of one kind cannot become others, except those into which the node converts.
    if request.encoding == .raw, request.target == nil { request.pixelFormat = stream.format.pixelFormat }
    context.stream.joined(by: subscription, request)
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
    stream.continueForSubscribers(askedRate: first.rate)
    var next = stream
    if let wanted = try? await frameDuration.choose(first, for: .video, converts: true) {
      next.format = StreamFormat(wanted)
    }
    guard context.stream.isActive(stream) else { return }
    try? context.onlookers.join(stream.hub, for: StreamUse(isForSubscribers: true, isForAutomation: true))
    let running = frameDuration.runningStream(of: next)
    guard next.request != stream.request,
      requests.allSatisfy({ (try? FramePlan($0, in: running)) != nil })
    else { return context.stream.continuedForSubscribers(askedRate: first.rate) }
    await camera.stopStreaming()
    try? await device.restart(next, orBackTo: stream, of: camera) { _ in "the photo is over" }
  }
}
