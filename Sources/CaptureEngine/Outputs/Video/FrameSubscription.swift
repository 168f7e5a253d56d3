import CaptureModel
import CaptureSystem
import Synchronization

/// Somebody who gets a stream's frames, until he or the stream ends it.
///
/// A session's subscriber goes from stream to stream, and takes a new one of these for each: what it has counted so far, and whether it
/// still wants frames, is in the account that they share.
public final class FrameSubscription: Sendable {
  /// How the frames come.
  public let plan: FramePlan
  /// Who it is, for a person.
  public let holder: String
  let sink: any FrameSink
  private let account: SubscriptionAccount
  /// Which of the account's subscriptions this is; only the latest one delivers.
  private let seat: UInt64
  /// Tells the first frame of this stream from those of the one before, and the stream's epoch that it holds for.
  private let entry: (discontinuity: StreamDiscontinuity, epoch: UInt64)?
  /// The stream's end is not the subscriber's.
  private let outlivesStream: Bool
  private let discardedBefore: UInt64

  /// Begins in a stream that has had `frames` and `epoch`, or goes on there with `account`. `entry`: why the frames before were others.
  init(
    plan: FramePlan, holder: String, sink: any FrameSink, continuing account: SubscriptionAccount? = nil,
    entry: StreamDiscontinuity? = nil, frames: UInt64, epoch: UInt64
  ) {
    self.plan = plan
    self.holder = holder
    self.sink = sink
    self.account = account ?? SubscriptionAccount(rate: plan.rate, frames: frames, epoch: epoch)
    self.entry = entry.map { ($0, epoch) }
    outlivesStream = account != nil
    discardedBefore = self.account.discarded
    seat =
      account?.enter(rate: plan.rate, frames: frames, epoch: epoch, hasDiscontinuity: entry != nil) ?? 0
  }

  /// The same subscriber in the same stream, which goes on in another form.
  init(_ former: FrameSubscription, as plan: FramePlan, frames: UInt64, epoch: UInt64) {
    self.plan = plan
    (holder, sink, account, outlivesStream) = (
      former.holder, former.sink, former.account, former.outlivesStream
    )
    entry = nil
    discardedBefore = account.discarded
    seat = account.enter(rate: plan.rate, frames: frames, epoch: epoch, hasDiscontinuity: false)
  }

  func isSame(as other: FrameSubscription) -> Bool { account === other.account }

  /// Returns when the subscription was cancelled or its task is; throws why the stream ended.
  public func waitUntilEnded() async throws(CaptureError) {
    try await account.ending.wait()
  }

  /// Frames reported as discarded so far.
  public var discarded: UInt64 { account.discarded - discardedBefore }

  // On the capture queue:

  func isDue(_ time: UInt64) -> Bool { account.state.withLock { $0.gate.isDue(time) } }

  /// A frame goes by that nobody takes.
  func pass(_ time: UInt64) {
    account.state.withLock { state in
      if !state.gate.isDue(time) { state.thinned += 1 }
    }
  }

  /// A frame is taken by those whose turn it is.
  func take(_ ordinal: UInt64, _ time: UInt64) {
    account.state.withLock { $0.take(ordinal, time) }
  }

  /// The stream goes on without it, or is over, after so many frames.
  func leave(frames: UInt64, epoch: UInt64) {
    account.state.withLock { $0.leave(seat, frames: frames, epoch: epoch) }
  }

  // On the sink's loop:

  func deliver(_ picture: Picture) {
    guard let mark = account.state.withLock({ $0.offer(picture, seat) }) else { return }
    sink.offer(VideoMessage(content: .picture(picture), subscription: self, mark: mark))
  }

  func deliver(interruption reason: String) {
    guard account.state.withLock({ $0.isLatest(seat) }) else { return }
    announce(reason)
  }

  /// Also where the subscriber has a newer one of these.
  func announce(_ reason: String) {
    guard let mark = account.state.withLock({ $0.offerAnnouncement() }) else { return }
    sink.offer(VideoMessage(content: .interrupted(reason: reason), subscription: self, mark: mark))
  }

  func sending(_ mark: DeliveryLedger.Mark, _ picture: Picture?, replacing replaced: UInt64) -> FrameGap {
    let gap = account.state.withLock {
      $0.ledger.sending(mark, isPicture: picture != nil, replacing: replaced)
    }
    var discontinuity: StreamDiscontinuity?
    if let picture, gap.hasDiscontinuity {
      discontinuity = picture.epoch == entry?.epoch ? entry?.discontinuity : picture.discontinuity
    }
    return FrameGap(discarded: gap.discarded, thinned: gap.thinned, discontinuity: discontinuity)
  }

  // From anywhere:

  /// No more messages; `nil` when the subscriber wanted it.
  func end(_ error: CaptureError?) {
    account.end(error)
  }

  /// The stream is over.
  func streamEnded(_ error: CaptureError) {
    if !outlivesStream { end(error) }
  }
}
