import CaptureControls
import CaptureModel
import CaptureSystem
import Synchronization

/// A subscription to a stream's frames, until the subscriber or the stream ends it.
///
/// A session's subscriber moves from stream to stream, and gets a new subscription for each. All these subscriptions share an account, which has the
/// counts so far, and knows whether the subscriber still wants frames.
public final class FrameSubscription: Sendable {
  /// How its frames are made.
  public let plan: FramePlan
  /// The subscriber, for a person.
  public let holder: String
  let sink: any FrameSink
  /// Its subscriber's number in the order in which subscribers came to the stream.
  let arrival: UInt64
  private let account: SubscriptionAccount
  /// The subscription's number in the account; only the latest one delivers.
  private let number: UInt64
  /// The discontinuity that separates this stream's first frame from the former stream's frames, and this stream's epoch at the beginning.
  private let first: (discontinuity: StreamDiscontinuity, epoch: UInt64)?
  /// Whether the subscriber stays when the stream ends.
  private let outlivesStream: Bool
  private let discardedBefore: UInt64
  /// The camera's timeline; `nil`: the subscription has no camera yet.
  private let timeline: SettingsTimeline?

  /// Begins at a stream's position, after `frames` frames and `epoch` discontinuities. With an `account` the subscription continues the counts of a
  /// subscriber that comes from another stream. `discontinuity`: why frames differ from those of the other stream.
  init(
    plan: FramePlan, holder: String, sink: any FrameSink, continuing account: SubscriptionAccount? = nil,
    discontinuity: StreamDiscontinuity? = nil, frames: UInt64, epoch: UInt64, arrival: UInt64 = 0,
    timeline: SettingsTimeline? = nil
  ) {
    self.arrival = arrival
    self.timeline = timeline
    self.plan = plan
    self.holder = holder
    self.sink = sink
    self.account = account ?? SubscriptionAccount(rate: plan.rate, frames: frames, epoch: epoch)
    first = discontinuity.map { ($0, epoch) }
    outlivesStream = account != nil
    discardedBefore = self.account.discarded
    number =
      account?.enter(rate: plan.rate, frames: frames, epoch: epoch, hasDiscontinuity: discontinuity != nil)
      ?? 0
  }

  /// Continues a subscription in the same stream, which goes on in another format.
  init(_ former: FrameSubscription, as plan: FramePlan, frames: UInt64, epoch: UInt64) {
    self.plan = plan
    (holder, sink, account, outlivesStream, timeline) = (
      former.holder, former.sink, former.account, former.outlivesStream, former.timeline
    )
    arrival = former.arrival
    first = nil
    discardedBefore = account.discarded
    number = account.enter(rate: plan.rate, frames: frames, epoch: epoch, hasDiscontinuity: false)
  }

  /// Whether both are subscriptions of one subscriber.
  func isSame(as other: FrameSubscription) -> Bool { account === other.account }

  /// Returns when the subscription or its task was cancelled. Throws the reason why the stream ended.
  public func waitUntilEnded() async throws(CaptureError) {
    try await account.ending.wait()
  }

  /// How many frames were reported to the subscriber as discarded so far.
  public var discarded: UInt64 { account.discarded - discardedBefore }

  // MARK: On the capture thread

  /// Whether the subscription's rate wants a frame of this time.
  func isDue(_ time: UInt64) -> Bool { account.state.withLock { $0.filter.isDue(time) } }

  /// Notes a frame that the rendition does not take. It counts as thinned if the subscription's rate would have left it out.
  func skipped(_ time: UInt64) {
    account.state.withLock { state in
      if !state.filter.isDue(time) { state.thinned += 1 }
    }
  }

  /// Notes that the rendition takes a frame. It counts as thinned if the subscription's rate leaves it out.
  func noteTaken(_ ordinal: UInt64, _ time: UInt64) {
    account.state.withLock { $0.noteTaken(ordinal, time) }
  }

  /// Notes that frames which the rendition has taken were dropped: no picture of them comes.
  func forget(_ ordinals: [UInt64]) {
    account.state.withLock { $0.onTheWay.forget(ordinals) }
  }

  /// Notes that the stream continues without this subscription, or is over. `frames`, `epoch`: how many frames and discontinuities the stream has
  /// had.
  func leave(frames: UInt64, epoch: UInt64) {
    account.state.withLock { $0.leave(number, frames: frames, epoch: epoch) }
  }

  // MARK: On the sink's loop

  /// Offers a picture to the sink, if this subscription takes it.
  func deliver(_ picture: Picture) {
    guard let mark = account.state.withLock({ $0.offer(picture, number) }) else { return }
    sink.offer(VideoMessage(content: .picture(picture), subscription: self, mark: mark))
  }

  /// Tells the sink that frames are interrupted, unless the subscriber has a newer subscription.
  func deliver(interruption reason: String) {
    guard account.state.withLock({ $0.isLatest(number) }) else { return }
    announce(reason)
  }

  /// Sends an announcement, even if the subscriber has a newer subscription.
  func announce(_ reason: String, isUnplugged: Bool = false) {
    guard let mark = account.state.withLock({ $0.offerAnnouncement(reason) }) else { return }
    sink.offer(
      VideoMessage(
        content: .interrupted(reason: reason, isUnplugged: isUnplugged), subscription: self, mark: mark))
  }

  /// How often its camera came, or came back, and got the settings that the node had kept of it.
  var restorations: UInt32 { timeline?.restorations ?? 0 }

  /// Returns what the subscriber has missed before a message that is about to be sent. `replaced`: how many offers were replaced or aborted since the
  /// last message that was delivered completely.
  func sending(_ mark: DeliveryLedger.Mark, _ picture: Picture?, replacing replaced: UInt64) -> FrameGap {
    let (gap, interruption) = account.state.withLock { state in
      let gap = state.ledger.sending(mark, isPicture: picture != nil, replacing: replaced)
      return (gap, gap.hasAnnouncement ? state.interruption : nil)
    }
    var discontinuity: StreamDiscontinuity?
    if let picture, gap.hasDiscontinuity {
      discontinuity = picture.epoch == first?.epoch ? first?.discontinuity : picture.discontinuity
    }
    return FrameGap(
      discarded: gap.discarded, thinned: gap.thinned, discontinuity: discontinuity,
      interruption: interruption, isFirst: gap.isFirst)
  }

  // MARK: From anywhere

  /// Ends the subscription. `error`: the reason; `nil`: the subscriber wanted that.
  func end(_ error: CaptureError?) {
    account.end(error)
  }

  /// Ends the subscription because the stream is over, unless it outlives its stream.
  func streamEnded(_ error: CaptureError) {
    if !outlivesStream { end(error) }
  }
}
