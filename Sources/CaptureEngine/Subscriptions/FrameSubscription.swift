import CaptureModel
import CaptureSystem
import Synchronization

/// Somebody who gets a stream's frames, until he or the stream ends it.
public final class FrameSubscription: Sendable {
  /// How the frames come.
  public let plan: FramePlan
  /// Who it is, for a person.
  public let holder: String
  let sink: any FrameSink
  private let state: Mutex<State>
  private let ending = Ending()

  private struct State {
    var gate: RateGate
    var thinned: UInt64 = 0
    var ledger: DeliveryLedger
    /// The latest frames taken, by ordinal, and how many were thinned before each: more than can be on the way at once.
    var taken: [(ordinal: UInt64, thinned: UInt64)]
    var nextTaken = 0
    var isOver = false
  }
  private static let maximumOnTheWay = 8

  init(plan: FramePlan, holder: String, sink: any FrameSink, frames: UInt64, epoch: UInt64) {
    self.plan = plan
    self.holder = holder
    self.sink = sink
    state = Mutex(
      State(
        gate: RateGate(rate: plan.rate), ledger: DeliveryLedger(frames: frames, epoch: epoch),
        taken: Array(repeating: (0, 0), count: Self.maximumOnTheWay)))
  }

  /// Returns when the subscription was cancelled or its task is; throws why the stream ended.
  public func waitUntilEnded() async throws(CaptureError) {
    try await ending.wait()
  }

  /// Frames reported as discarded so far.
  public var discarded: UInt64 { state.withLock { $0.ledger.discarded } }

  // On the capture queue:

  func isDue(_ time: UInt64) -> Bool { state.withLock { $0.gate.isDue(time) } }

  /// A frame goes by that nobody takes.
  func pass(_ time: UInt64) {
    state.withLock { state in
      if !state.gate.isDue(time) { state.thinned += 1 }
    }
  }

  /// A frame is taken by those whose turn it is.
  func take(_ ordinal: UInt64, _ time: UInt64) {
    state.withLock { state in
      guard state.gate.isDue(time) else {
        state.thinned += 1
        return
      }
      state.gate.take(time)
      state.taken[state.nextTaken] = (ordinal, state.thinned)
      state.nextTaken = (state.nextTaken + 1) % state.taken.count
    }
  }

  // On the sink's loop:

  func deliver(_ picture: Picture) {
    let mark = state.withLock { state -> DeliveryLedger.Mark? in
      guard !state.isOver, let taken = state.taken.first(where: { $0.ordinal == picture.ordinal }) else {
        return nil
      }
      return state.ledger.offerPicture(picture.ordinal, thinned: taken.thinned, epoch: picture.epoch)
    }
    guard let mark else { return }
    sink.offer(VideoMessage(content: .picture(picture), subscription: self, mark: mark))
  }

  func deliver(interruption reason: String) {
    let mark = state.withLock { $0.isOver ? nil : $0.ledger.offerAnnouncement() }
    guard let mark else { return }
    sink.offer(VideoMessage(content: .interrupted(reason: reason), subscription: self, mark: mark))
  }

  func sending(_ mark: DeliveryLedger.Mark, _ picture: Picture?, replacing replaced: UInt64) -> FrameGap {
    let gap = state.withLock {
      $0.ledger.sending(mark, isPicture: picture != nil, replacing: replaced)
    }
    return FrameGap(
      discarded: gap.discarded, thinned: gap.thinned,
      discontinuity: gap.hasDiscontinuity ? picture?.discontinuity : nil)
  }

  // From anywhere:

  /// No more messages; `nil` when the subscriber wanted it.
  func end(_ error: CaptureError?) {
    state.withLock { $0.isOver = true }
    ending.end(error)
  }
}
