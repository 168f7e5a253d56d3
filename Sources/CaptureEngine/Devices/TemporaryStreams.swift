import CaptureControls
import CaptureModel

/// Streams that an idle camera is started with for a single use, such as a photo (``StreamUse``). Subscribers join such a stream if it gives what
/// they ask for; others wait until the use is over. It then becomes the stream that its subscribers asked for, or stops.
final class TemporaryStreams {
  private let context: DeviceContext
  private let frameDuration: FrameDurationBounds

  init(_ context: DeviceContext, _ frameDuration: FrameDurationBounds) {
    (self.context, self.frameDuration) = (context, frameDuration)
  }

  /// Waits until no use of a temporary stream is on its way, and keeps others from beginning one until ``leave()``.
  func enter() async throws(CaptureError) { try await context.gates.photo.enter() }
  func leave() { context.gates.photo.leave() }

  /// A subscriber has joined a temporary stream.
  func joined(_ subscription: FrameSubscription, _ request: VideoRequest, to stream: ActiveStream)
    throws(CaptureError)
  {
    try context.onlookers.join(stream.hub, for: StreamUse(temporary: stream.temporaryUse))
    var request = request
    // Raw frames keep the stream's pixel format, unless the node converts them.
    if request.encoding == .raw, request.target == nil { request.pixelFormat = stream.format.pixelFormat }
    context.stream.joined(by: subscription, request, of: context.camera)
  }

  /// Schedules what a temporary stream becomes once its use is over. The caller does not wait for it, and cancelling the caller does not cancel it.
  func scheduleContinuing() {
    context.tasks.start { device in
      let gates = device.context.gates
      await gates.photo.enterToCleanUp()
      defer { gates.photo.leave() }
      await gates.stream.enterToCleanUp()
      defer { gates.stream.leave() }
      await device.temporaryStreams.continueForSubscribers(on: device)
    }
  }

  /// Continues a temporary stream for its subscribers, once its use is over: as the stream was before the camera was unplugged, or else as the first
  /// subscriber asked, if that gives all others what they asked for. If the subscribers then have too many different pictures together, the latest of
  /// them end. Does nothing for any other stream. The caller has called ``enter()``, so that no use loses its stream, and holds the gate `stream`.
  func continueForSubscribers(on device: isolated Device) async {
    guard device.reservation == nil, let stream = device.stream, let use = stream.temporaryUse else { return }
    let present = stream.video.subscriptions
    let requests = stream.joined.filter { joined in
      present.contains { $0.isSame(as: joined.subscription) }
    }.map(\.request)
    guard let first = requests.first else { return await device.stopIfIdle() }
    let claimed = context.stream.claimFormer(for: first, of: context.camera)
    try? context.onlookers.join(stream.hub, for: .subscribers)
    // The former stream counts only if a present subscriber can use it: those for whom it was kept may have left.
    if let former = stream.former ?? claimed,
      requests.contains(where: { former.canServe($0, of: context.camera) }),
      await continueStream(
        stream, of: use, as: former.request, askedRate: former.askedRate, for: requests, on: device)
    {
      return
    }
    if let wanted = try? await frameDuration.choose(first, for: .video, converts: true),
      await continueStream(
        stream, of: use, as: wanted, askedRate: first.rate, for: requests, on: device)
    {
      return
    }
    guard let running = device.stream, context.stream.isActive(stream) else { return }
    context.stream.continuedForSubscribers(as: running.forSubscribers(askedRate: first.rate))
  }

  /// Continues a stream as `wanted`, if that gives everybody what they asked for. Returns whether it does. `use`: the use that is over.
  private func continueStream(
    _ stream: ActiveStream, of use: String, as wanted: StreamRequest, askedRate: Double?,
    for requests: [VideoRequest], on device: isolated Device
  ) async -> Bool {
    guard let camera = device.camera, context.stream.isActive(stream) else { return false }
    let present = stream.forSubscribers(askedRate: askedRate)
    guard present.isChanged(by: wanted) else {
      context.stream.continuedForSubscribers(as: present)
      return true
    }
    let next = present.inFormat(StreamFormat(wanted))
    let running = frameDuration.runningStream(of: next)
    guard requests.allSatisfy({ (try? FramePlan($0, in: running)) != nil }) else { return false }
    context.stream.continuedForSubscribers(as: next)
    await camera.stopStreaming()
    do throws(CaptureError) {
      try await present.restart(as: next, of: camera, on: device) { _ in "the \(use) is over" }
      return true
    } catch {
      return false
    }
  }
}
