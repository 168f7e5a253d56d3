import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization

/// A subscription to a session's output, whatever camera its frames come from and whether or not the session runs.
public final class SessionSubscription: Sendable {
  public let output: String
  let request: VideoRequest
  let sink: any FrameSink
  let holder: String
  /// The cameras that the subscriber may see.
  let scope: CameraScope
  /// The subscriber's name in access control; `nil`: it is no client.
  let client: String?
  let account = SubscriptionAccount()
  private let sourceNow = Mutex<Source?>(nil)

  /// The camera from which frames come.
  public struct Source: Hashable, Sendable {
    public var camera: CameraID
    /// Since when the output is connected to this camera, in `CLOCK_MONOTONIC` nanoseconds.
    public var since: UInt64
    /// Whether no frames come from the camera now.
    public var isWaiting: Bool
  }

  init(
    output: String, request: VideoRequest, sink: any FrameSink, holder: String, client: String? = nil,
    scope: CameraScope = .every
  ) {
    self.scope = scope
    self.client = client
    self.output = output
    self.request = request
    self.sink = sink
    self.holder = holder
  }

  /// Returns when the subscription or its task was cancelled. Throws the reason why it ended: the output was removed, the session was closed, or the
  /// new format cannot give what was asked for.
  public func waitUntilEnded() async throws(CaptureError) { try await account.ending.wait() }

  /// The camera to which the output is connected now; `nil`: none.
  public var source: Source? { sourceNow.withLock { $0 } }

  /// Notes that the subscription's output is connected to a camera.
  func connected(to camera: CameraID) {
    sourceNow.withLock { source in
      guard source?.camera != camera else { return }
      source = Source(camera: camera, since: MonotonicClock.now(), isWaiting: true)
    }
  }

  /// Notes whether the subscription waits for frames of the camera because none come.
  func setWaiting(_ isWaiting: Bool) { sourceNow.withLock { $0?.isWaiting = isWaiting } }
}

/// A subscriber of a session, and the stream from which it takes frames now. Confined to the session.
struct SessionMember {
  let subscription: SessionSubscription
  /// The member's latest subscription to a stream. Before the member has a stream, this subscription delivers only announcements.
  var current: FrameSubscription
  /// The stream's output from which the member takes frames; `nil`: none.
  private(set) var video: VideoOutput? {
    didSet { subscription.setWaiting(video == nil) }
  }

  init(_ subscription: SessionSubscription) {
    self.subscription = subscription
    current = FrameSubscription(
      plan: FramePlan(delivery: .untouched), holder: subscription.holder, sink: subscription.sink,
      continuing: subscription.account, discontinuity: nil, frames: 0, epoch: 0)
  }

  /// Takes frames of `stream` through `connection`, in the form nearest to the request. Ends the subscription where that is impossible.
  mutating func join(
    in stream: InputStream, through connection: SessionConnection, discontinuity: StreamDiscontinuity?
  ) {
    leave()
    do throws(CaptureError) {
      let request = try subscription.request.through(connection)
      let plan = try FramePlan(nearest: request, in: stream.running)
      current = try stream.video.add(
        plan, sink: subscription.sink, holder: subscription.holder, continuing: subscription.account,
        discontinuity: discontinuity)
      video = stream.video
    } catch  where error.code == .failedPrecondition || error.code == .resourceExhausted {
      subscription.account.end(error)
    } catch {
      // The stream has just ended, which the session hears next.
    }
  }

  /// Takes no more frames.
  mutating func leave() {
    video?.release(current)
    video = nil
  }

  /// Whether the subscription is over. The subscriber has been told the reason then.
  var isOver: Bool { subscription.account.state.withLock(\.isOver) }

  /// Notes that the stream from which the member took frames is over.
  mutating func streamEnded() { video = nil }

  func announce(_ reason: String, isUnplugged: Bool = false) {
    let current = current
    subscription.sink.loop.async { current.announce(reason, isUnplugged: isUnplugged) }
  }
}

extension VideoRequest {
  /// Returns this request for pictures that `connection` transforms first.
  func through(_ connection: SessionConnection) throws(CaptureError) -> VideoRequest {
    var request = self
    request.transform = try connection.transform.then(transform)
    return request
  }
}
