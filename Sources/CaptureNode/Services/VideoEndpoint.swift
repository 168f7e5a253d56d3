import CaptureEngine
import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Video`: live frames.
struct VideoEndpoint: VideoService {
  let engine: ServedEngine
  let viewers: Viewers
  var access: NodeAccess?

  func subscribe(
    _ request: consuming SubscribeRequest, context: CallContext, responses: ResponseWriter<VideoFrame>
  ) async throws {
    do {
      try await send(consume request, context, responses)
    } catch let error as CaptureError {
      throw error.ofRendition(at: SubscribeRequest.renditionPath)
    }
  }

  private func send(
    _ request: consuming SubscribeRequest, _ context: CallContext, _ responses: ResponseWriter<VideoFrame>
  ) async throws {
    let wanted = try request.model()
    if try request.isOfSession() {
      let session = try await engine.seen(by: context).session(request.session)
      let subscription = try await session.subscribe(
        wanted, output: request.output, sink: VideoSink(responses.raw, for: engine.seen(by: context)),
        holder: context.holder, client: context.clientName, among: context.caller.cameras)
      _ = consume request
      let end = await viewers.note(context, taking: .video, from: { Viewers.Source(subscription.source) }) {
        await Self.end(of: subscription.waitUntilEnded)
      }
      await session.unsubscribe(subscription)
      return try end.get()
    }
    let (context, waited) = try await admitted(to: request, context, responses)
    let seen = engine.seen(by: context)
    let device = try seen.device(request.device)
    _ = consume request
    let subscription = try await device.run {
      try await $0.subscribe(
        wanted, sink: VideoSink(responses.raw, for: seen, waited: waited), holder: context.holder)
    }
    let end = await viewers.note(context, taking: .video, of: device.id) {
      await Self.end(of: subscription.waitUntilEnded)
    }
    await device.unsubscribe(subscription)
    try end.get()
  }

  /// Runs `wait`, and returns how it ended, so that the caller releases its resources in any case.
  private static func end(
    of wait: () async throws(CaptureError) -> Void
  ) async -> Result<Void, CaptureError> {
    do throws(CaptureError) { return .success(try await wait()) } catch { return .failure(error) }
  }
}

extension Viewers.Source {
  fileprivate init?(_ source: SessionSubscription.Source?) {
    guard let source else { return nil }
    self.init(camera: source.camera, since: source.since, isWaiting: source.isWaiting)
  }
}

/// Sends a subscription's frames to its client.
private final class VideoSink: FrameSink {
  private let writer: any RawResponseWriter
  private let seen: SeenEngine
  /// The reason that the first frame brings if the call has waited for an approval.
  private let approval: String?
  private static let clock = UTCClock()

  init(_ writer: any RawResponseWriter, for seen: SeenEngine, waited approval: String? = nil) {
    (self.writer, self.seen, self.approval) = (writer, seen, approval)
  }

  var loop: QueueExecutor { writer.loop }
  var room: Int { writer.room }

  func offer(_ message: VideoMessage) {
    switch message.content {
    case .picture(let picture):
      writer.offer(payload: picture.payload) { [self] replaced in
        let gap = message.gap(replacing: replaced)
        var bytes = picture.encodedDescription {
          VideoFrame(info: FrameInfo($0, clock: Self.clock)).encoded()
        }
        // A decoder takes what is appended for more fields of the same message.
        if !gap.isEmpty { fields(for: gap, before: message).append(to: &bytes) }
        return bytes
      }
    case .interrupted(let reason, let isUnplugged):
      writer.offer(payload: nil) { [self] replaced in
        let gap = message.gap(replacing: replaced)
        return VideoFrame(
          discarded: gap.discarded, thinned: gap.thinned, discontinuity: .interrupted,
          reason: seen.redacted(reason), cameraUnplugged: isUnplugged
        ).encoded()
      }
    }
  }

  /// The fields that tell of the gap before a picture.
  private func fields(for gap: FrameGap, before message: VideoMessage) -> VideoFrame {
    let approval = gap.isFirst ? approval : nil
    // A picture that has replaced an announcement brings the announcement's reason.
    let discontinuity: Discontinuity =
      gap.discontinuity.map(Discontinuity.init)
      ?? (gap.interruption != nil ? .interrupted : approval != nil ? .resumed : .none)
    return VideoFrame(
      discarded: gap.discarded, thinned: gap.thinned, discontinuity: discontinuity,
      reason: seen.redacted(gap.discontinuity?.reason ?? gap.interruption ?? approval ?? ""),
      awayNs: gap.discontinuity?.away?.wholeNanoseconds ?? 0,
      restorations: gap.isFirst || discontinuity != .none ? message.restorations : 0)
  }

  func releaseBuffers() { writer.releaseBuffers() }
}
