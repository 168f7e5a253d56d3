import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureWire

/// `capture.v1.Video`: live frames.
struct VideoEndpoint: VideoService {
  let engine: CaptureEngine

  func subscribe(
    _ request: SubscribeRequest, context: CallContext, responses: ResponseWriter<VideoFrame>
  ) async throws {
    do {
      try await send(request, context, responses)
    } catch let error as CaptureError {
      throw error.ofRendition(at: SubscribeRequest.renditionPath)
    }
  }

  private func send(
    _ request: SubscribeRequest, _ context: CallContext, _ responses: ResponseWriter<VideoFrame>
  ) async throws {
    let wanted = try request.model()
    if try request.isOfSession() {
      let session = try await engine.session(request.session)
      let subscription = try await session.subscribe(
        wanted, output: request.output, sink: VideoSink(responses.raw), holder: context.holder)
      let end = await Self.end(of: subscription.waitUntilEnded)
      await session.unsubscribe(subscription)
      return try end.get()
    }
    let device = try engine.device(request.device)
    let subscription = try await device.run {
      try await $0.subscribe(wanted, sink: VideoSink(responses.raw), holder: context.holder)
    }
    let end = await Self.end(of: subscription.waitUntilEnded)
    await device.unsubscribe(subscription)
    try end.get()
  }

  /// Waits, and returns how that ended, so that the caller releases its resources in any case.
  private static func end(
    of wait: () async throws(CaptureError) -> Void
  ) async -> Result<Void, CaptureError> {
    do throws(CaptureError) { return .success(try await wait()) } catch { return .failure(error) }
  }
}

/// Sends a subscription's frames to its client.
private final class VideoSink: FrameSink {
  private let writer: any RawResponseWriter
  private static let clock = UTCClock()

  init(_ writer: any RawResponseWriter) { self.writer = writer }

  var loop: QueueExecutor { writer.loop }
  var room: Int { writer.room }

  func offer(_ message: VideoMessage) {
    switch message.content {
    case .picture(let picture):
      writer.offer(payload: picture.payload) { replaced in
        let gap = message.gap(replacing: replaced)
        var bytes = picture.encodedDescription {
          VideoFrame(info: FrameInfo($0, clock: Self.clock)).encoded()
        }
        if !gap.isEmpty {
          // The fields of a message may be encoded one by one.
          VideoFrame(
            discarded: gap.discarded, thinned: gap.thinned,
            discontinuity: gap.discontinuity.map(Discontinuity.init) ?? .none,
            reason: gap.discontinuity?.reason ?? ""
          ).append(to: &bytes)
        }
        return bytes
      }
    case .interrupted(let reason):
      writer.offer(payload: nil) { replaced in
        let gap = message.gap(replacing: replaced)
        return VideoFrame(
          discarded: gap.discarded, thinned: gap.thinned, discontinuity: .interrupted, reason: reason
        ).encoded()
      }
    }
  }

  func releaseBuffers() { writer.releaseBuffers() }
}
