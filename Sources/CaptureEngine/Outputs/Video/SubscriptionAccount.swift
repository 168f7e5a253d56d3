import CaptureModel
import Synchronization

/// What a subscriber has had of the streams it went through, counted as if they were one.
final class SubscriptionAccount: Sendable {
  let state: Mutex<State>
  let ending = Ending()

  struct State {
    var gate: RateGate
    var thinned: UInt64 = 0
    var ledger: DeliveryLedger
    /// The latest frames taken, by ordinal, and how many were thinned before each: more than can be on the way at once.
    var taken: [(ordinal: UInt64, thinned: UInt64)]
    var nextTaken = 0
    var isOver = false
    /// Which subscription delivers; the account outlives those of the streams before.
    var seat: UInt64 = 0
    /// The account's numbers less the stream's, modulo 2^64.
    var frameOffset: UInt64 = 0
    var epochOffset: UInt64 = 0
    /// The account's numbers when the latest stream was left.
    var frames: UInt64
    var epoch: UInt64
  }
  private static let maximumOnTheWay = 8

  /// Begins at a stream's position, or before any stream at 0.
  init(rate: Double? = nil, frames: UInt64 = 0, epoch: UInt64 = 0) {
    state = Mutex(
      State(
        gate: RateGate(rate: rate), ledger: DeliveryLedger(frames: frames, epoch: epoch),
        taken: Array(repeating: (0, 0), count: Self.maximumOnTheWay), frames: frames, epoch: epoch))
  }

  var discarded: UInt64 { state.withLock { $0.ledger.discarded } }

  /// Goes on in another stream, or otherwise in the same. Returns the seat that its subscription has.
  func enter(rate: Double?, frames: UInt64, epoch: UInt64, hasDiscontinuity: Bool) -> UInt64 {
    state.withLock { state in
      state.gate = RateGate(rate: rate)
      state.forgetTaken()
      state.frameOffset = state.frames &- frames
      state.epochOffset = state.epoch &- epoch &+ (hasDiscontinuity ? 1 : 0)
      state.seat += 1
      return state.seat
    }
  }

  func end(_ error: CaptureError?) {
    state.withLock { $0.isOver = true }
    ending.end(error)
  }
}

extension SubscriptionAccount.State {
  mutating func take(_ ordinal: UInt64, _ time: UInt64) {
    guard gate.isDue(time) else {
      thinned += 1
      return
    }
    gate.take(time)
    taken[nextTaken] = (ordinal, thinned)
    nextTaken = (nextTaken + 1) % taken.count
  }

  mutating func leave(_ seat: UInt64, frames: UInt64, epoch: UInt64) {
    guard self.seat == seat else { return }
    self.frames = frames &+ frameOffset
    self.epoch = epoch &+ epochOffset
    forgetTaken()
  }

  /// What of them is still on the way comes no more.
  fileprivate mutating func forgetTaken() {
    for index in taken.indices { taken[index] = (0, 0) }
  }

  /// `nil`: it is not for this seat, or not any more.
  mutating func offer(_ picture: Picture, _ seat: UInt64) -> DeliveryLedger.Mark? {
    guard !isOver, self.seat == seat, let taken = taken.first(where: { $0.ordinal == picture.ordinal })
    else { return nil }
    return ledger.offerPicture(
      picture.ordinal &+ frameOffset, thinned: taken.thinned, epoch: picture.epoch &+ epochOffset)
  }

  func isLatest(_ seat: UInt64) -> Bool { self.seat == seat }

  mutating func offerAnnouncement() -> DeliveryLedger.Mark? {
    isOver ? nil : ledger.offerAnnouncement()
  }
}
