import CaptureModel

/// The stream that was started for a photo of an idle camera, and the subscribers who join it.
extension Photos {
  /// A subscriber has joined the photo's stream. Once the photo is over, the stream becomes what its subscribers asked for.
  func joined(_ subscription: FrameSubscription, _ request: VideoRequest, to stream: ActiveStream)
    throws(CaptureError)
  {
    try context.onlookers.join(stream.hub, for: StreamUse(isForSubscribers: false, isForAutomation: true))
    var request = request
    // Raw frames keep the stream's pixel format, unless the node converts them.
    if request.encoding == .raw, request.target == nil { request.pixelFormat = stream.format.pixelFormat }
    context.stream.joined(by: subscription, request, of: context.camera)
  }

  /// Schedules what the photo's stream becomes once the photo is over. The photo does not wait for it, and cancelling the photo does not cancel it.
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

  /// Has the stream of a photo that is over continue as its first subscriber asked, or as it was before the camera was unplugged, if all others keep what
  /// they have. It does nothing for any other stream. The caller holds the gates `photo` and `stream`: a photo that is being taken would lose its stream.
  func continueForSubscribers(on device: isolated Device) async {
    guard device.reservation == nil, let camera = device.camera, var stream = device.stream,
      !stream.isForSubscribers
    else { return }
    let present = stream.video.subscriptions
    let requests = stream.joined.filter { joined in
      present.contains { $0.isSame(as: joined.subscription) }
    }.map(\.request)
    guard let first = requests.first else { return await device.stopIfIdle() }
    let claimed = context.stream.claimFormer(for: first, of: context.camera)
    let former = stream.former ?? claimed
    let askedRate = former.map(\.askedRate) ?? first.rate
    stream.continueForSubscribers(askedRate: askedRate)
    let frameDuration = settings.frameDuration
    var next = stream
    if let former {
      next.format = StreamFormat(former.request)
    } else if let wanted = try? await frameDuration.choose(first, for: .video, converts: true) {
      next.format = StreamFormat(wanted)
    }
    guard context.stream.isActive(stream) else { return }
    try? context.onlookers.join(stream.hub, for: StreamUse(isForSubscribers: true, isForAutomation: true))
    let running = frameDuration.runningStream(of: next)
    guard next.request != stream.request,
      requests.allSatisfy({ (try? FramePlan($0, in: running)) != nil })
    else { return context.stream.continuedForSubscribers(askedRate: askedRate) }
    await camera.stopStreaming()
    try? await device.restart(next, orBackTo: stream, of: camera) { _ in "the photo is over" }
  }
}
