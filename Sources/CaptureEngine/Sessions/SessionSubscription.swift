import CaptureModel
import CaptureSystem

/// Somebody who gets frames of a session's output, whatever camera they come from and whether or not it runs.
public final class SessionSubscription: Sendable {
  public let output: String
  let request: VideoRequest
  let sink: any FrameSink
  let holder: String
  let account = SubscriptionAccount()

  init(output: String, request: VideoRequest, sink: any FrameSink, holder: String) {
    self.output = output
    self.request = request
    self.sink = sink
    self.holder = holder
  }

  /// Returns when the subscription was cancelled or its task is; throws why it ended: the output was removed, the session closed, or its
  /// new format cannot be had as asked for.
  public func waitUntilEnded() async throws(CaptureError) { try await account.ending.wait() }
}

/// Where a session's subscriber sits now. Confined to the session.
struct SessionMember {
  let subscription: SessionSubscription
  /// The latest one; of a subscriber that never sat anywhere one that delivers announcements alone.
  var seat: FrameSubscription
  /// Where it sits; `nil`: nowhere.
  private(set) var video: VideoOutput?

  init(_ subscription: SessionSubscription) {
    self.subscription = subscription
    seat = FrameSubscription(
      plan: FramePlan(delivery: .untouched), holder: subscription.holder, sink: subscription.sink,
      continuing: subscription.account, entry: nil, frames: 0, epoch: 0)
  }

  /// Takes frames of `stream` through `connection`, or the nearest to what was asked for; ends the subscription where that cannot be.
  mutating func sit(
    in stream: SessionStream, through connection: SessionConnection, entry: StreamDiscontinuity?
  ) {
    stand()
    do throws(CaptureError) {
      let request = try subscription.request.through(connection)
      let plan = try FramePlan(nearest: request, in: stream.running)
      seat = try stream.video.add(
        plan, sink: subscription.sink, holder: subscription.holder, continuing: subscription.account,
        entry: entry)
      video = stream.video
    } catch  where error.code == .failedPrecondition || error.code == .resourceExhausted {
      subscription.account.end(error)
    } catch {
      // The stream has just ended, which the session hears next.
    }
  }

  /// Takes no more frames.
  mutating func stand() {
    video?.release(seat)
    video = nil
  }

  /// It gets nothing more: the reason has been given.
  var isOver: Bool { subscription.account.state.withLock(\.isOver) }

  /// The stream that it sat in is over.
  mutating func streamEnded() { video = nil }

  func announce(_ reason: String) {
    let seat = seat
    subscription.sink.loop.async { seat.announce(reason) }
  }
}

extension VideoRequest {
  /// With what a connection does to each picture.
  func through(_ connection: SessionConnection) throws(CaptureError) -> VideoRequest {
    var request = self
    request.transform = try connection.transform
    return request
  }
}
