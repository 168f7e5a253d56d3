import CaptureControls
import CaptureModel

/// The device's default session.
extension Device {
  /// Sends live frames to `sink` until ``unsubscribe(_:)`` or the subscription's end. `holder` names the subscriber in messages.
  ///
  /// Throws `invalidArgument` for what the camera cannot do, `failedPrecondition` for more than the running stream gives, and `unavailable` when the
  /// camera is unplugged.
  public func subscribe(_ request: VideoRequest, sink: any FrameSink, holder: String)
    async throws(CaptureError) -> FrameSubscription
  {
    try await withStream(for: request) { stream throws(CaptureError) in
      let plan = try FramePlan(request, in: frameDuration.runningStream(of: stream.asViewed))
      return try stream.video.add(plan, sink: sink, holder: holder)
    } sharing: { [temporaryStreams] stream, subscription throws(CaptureError) in
      try temporaryStreams.joined(subscription, request, to: stream)
    }
  }

  /// Removes a subscriber. The last one stops the stream.
  public func unsubscribe(_ subscription: FrameSubscription) async {
    stream?.video.remove(subscription)
    await leaveStream()
  }

  /// Lets `consumer` take the frames of the camera's stream, or of its session's, until it leaves or the stream ends. If none runs, one starts for
  /// `request`.
  ///
  /// Throws as ``subscribe(_:sink:holder:)`` does. Throws `failedPrecondition` where no stream runs and the consumer keeps none running, or where the
  /// camera's session does not run.
  package func join(
    _ consumer: any FrameConsumer, asking request: VideoRequest = VideoRequest()
  ) async throws(CaptureError) {
    if let stream, reservation != nil || !stream.hub.isIdle, context.stream.temporary == nil {
      try stream.hub.join(consumer)
      return
    }
    try context.stream.requireMayStart(consumer, of: context.camera)
    try await withStream(for: request) { stream throws(CaptureError) in _ = try stream.hub.join(consumer) }
  }

  /// Removes a consumer. The last one that keeps the stream running stops it.
  package func leave(_ consumer: any FrameConsumer) async {
    stream?.hub.leave(consumer)
    await leaveStream()
  }

  /// Calls `join` with the running stream, or with one that is started for `request`. Waits for the end of a temporary stream, unless
  /// `sharing` is given and that stream fits the request. `sharing` is then called with that stream.
  private func withStream<Joined>(
    for request: VideoRequest, _ join: (ActiveStream) throws(CaptureError) -> Joined,
    sharing: ((ActiveStream, Joined) throws(CaptureError) -> Void)? = nil
  ) async throws(CaptureError) -> Joined {
    try request.validate()
    try await context.stream.waitForFormerSubscribers(request, of: context.camera)
    try await context.gates.stream.enter()
    guard let temporary = context.stream.temporary else {
      defer { context.gates.stream.leave() }
      return try await joinOrStart(request, join)
    }
    if let sharing, let joined = try? join(temporary) {
      defer { context.gates.stream.leave() }
      try sharing(temporary, joined)
      return joined
    }
    context.gates.stream.leave()
    try await temporaryStreams.enter()
    defer { temporaryStreams.leave() }
    try await context.gates.stream.enter()
    defer { context.gates.stream.leave() }
    await temporaryStreams.continueForSubscribers(on: self)
    return try await joinOrStart(request, join)
  }

  /// The caller holds the gate `stream`.
  private func joinOrStart<Joined>(
    _ request: VideoRequest, _ join: (ActiveStream) throws(CaptureError) -> Joined
  ) async throws(CaptureError) -> Joined {
    try context.stream.requireNoSession(of: name)
    if let stream, !stream.hub.isIdle {
      _ = try context.camera.required()
      return try join(stream)
    }
    await stopIfIdle()
    let stream = try await startForSubscriber(request)
    do throws(CaptureError) {
      return try join(stream)
    } catch {
      await stopIfIdle()
      throw error
    }
  }

  private func startForSubscriber(_ request: VideoRequest) async throws(CaptureError) -> ActiveStream {
    // If the former stream does not start, the request decides: the camera may have come back with other formats.
    if let former = context.stream.claimFormer(for: request, of: context.camera),
      let stream = try? await start(former.request, askedRate: former.askedRate)
    {
      return stream
    }
    return try await start(request)
  }

  /// Stops the stream if nobody is left.
  func leaveStream() async {
    await context.gates.stream.enterToCleanUp()
    defer { context.gates.stream.leave() }
    await stopIfIdle()
  }
}
