import CaptureModel
import Synchronization

/// Counts a subscriber's frames over all streams that it went through, as if these were one stream.
final class SubscriptionAccount: Sendable {
  let state: Mutex<State>
  let ending = Ending()

  struct State {
    var filter: RateFilter
    var thinned: UInt64 = 0
    var ledger: DeliveryLedger
    var onTheWay = FramesOnTheWay()
    /// The reason of the latest announcement; `nil`: there was none.
    var interruption: String?
    var isOver = false
    /// The number of the subscription that delivers; 0: none yet. The account outlives the subscriptions to former streams.
    var latestSubscription: UInt64 = 0
    /// The account's count of frames minus the stream's, modulo 2^64.
    var frameOffset: UInt64 = 0
    /// The account's epoch minus the stream's, modulo 2^64.
    var epochOffset: UInt64 = 0
    /// The account's count of frames when the subscriber left the latest stream.
    var frames: UInt64
    /// The account's epoch when the subscriber left the latest stream.
    var epoch: UInt64
  }

  /// Begins at a stream's position, or before any stream at 0.
  init(rate: Double? = nil, frames: UInt64 = 0, epoch: UInt64 = 0) {
    state = Mutex(
      State(
        filter: RateFilter(rate: rate), ledger: DeliveryLedger(frames: frames, epoch: epoch), frames: frames,
        epoch: epoch))
  }

  var discarded: UInt64 { state.withLock { $0.ledger.discarded } }

  /// Continues in another stream, or in the same one in another form. Returns the number of the new subscription.
  func enter(rate: Double?, frames: UInt64, epoch: UInt64, hasDiscontinuity: Bool) -> UInt64 {
    state.withLock { state in
      state.filter = RateFilter(rate: rate)
      state.onTheWay.removeAll()
      state.frameOffset = state.frames &- frames
      state.epochOffset = state.epoch &- epoch &+ (hasDiscontinuity ? 1 : 0)
      state.latestSubscription += 1
      return state.latestSubscription
    }
  }

  func end(_ error: CaptureError?) {
    state.withLock { $0.isOver = true }
    ending.end(error)
  }
}

extension SubscriptionAccount.State {
  mutating func noteTaken(_ ordinal: UInt64, _ time: UInt64) {
    guard filter.isDue(time) else {
      thinned += 1
      return
    }
    filter.noteTaken(time)
    onTheWay.add(ordinal, thinned: thinned)
  }

  mutating func leave(_ number: UInt64, frames: UInt64, epoch: UInt64) {
    guard isLatest(number) else { return }
    self.frames = frames &+ frameOffset
    self.epoch = epoch &+ epochOffset
    onTheWay.removeAll()
  }

  /// Returns the mark of a picture that the subscription with this number offers; `nil`: the picture is not for this subscription, or no longer.
  mutating func offer(_ picture: Picture, _ number: UInt64) -> DeliveryLedger.Mark? {
    guard !isOver, isLatest(number), let thinned = onTheWay.arrived(picture.ordinal) else { return nil }
    return ledger.offerPicture(
      picture.ordinal &+ frameOffset, thinned: thinned, epoch: picture.epoch &+ epochOffset)
  }

  /// Whether the subscription of this number is the one that delivers.
  func isLatest(_ number: UInt64) -> Bool { latestSubscription == number }

  /// Returns the mark of an announcement that frames are interrupted; `nil`: the subscriber wants none any more.
  mutating func offerAnnouncement(_ reason: String) -> DeliveryLedger.Mark? {
    if isOver { return nil }
    interruption = reason
    return ledger.offerAnnouncement()
  }
}
