import CaptureModel
import CaptureSystem

extension DeviceController {
  /// Live frames into `sink` until ``unsubscribe(_:)`` or the subscription's end. `holder` names the subscriber in messages.
  ///
  /// Throws `invalidArgument` for what the camera cannot do, `failedPrecondition` for more than the running stream gives,
  /// `unavailable` when it is unplugged.
  public func subscribe(_ request: VideoRequest, sink: any FrameSink, holder: String)
    async throws(CaptureError) -> FrameSubscription
  {
    try request.validate()
    try await turnstile.enter()
    defer { turnstile.leave() }
    try requireNoSession()
    if let stream, !stream.hub.isIdle {
      _ = try presentCamera()
      return try stream.hub.add(FramePlan(request, in: running(stream)), sink: sink, holder: holder)
    }
    await stopIfIdle()
    let stream = try await start(request, for: .video)
    do throws(CaptureError) {
      let plan = try FramePlan(request, in: running(stream))
      return try stream.hub.add(plan, sink: sink, holder: holder)
    } catch {
      await stopIfIdle()
      throw error
    }
  }

  /// The subscriber leaves; the last one stops the stream.
  public func unsubscribe(_ subscription: FrameSubscription) async {
    stream?.hub.remove(subscription)
    await turnstile.enterToCleanUp()
    defer { turnstile.leave() }
    await stopIfIdle()
  }
}
