import CaptureModel
import CaptureSystem
import Synchronization

/// Keeps the newest frames of a stream, for photos of a moment that has passed. Each frame is copied once, when it comes, so that no driver's buffer
/// is kept.
///
/// It keeps no stream running. It wants every frame of a session's stream; of other streams it takes the frames that other consumers want.
final class RecentFramesConsumer: FrameConsumer {
  /// A frame that is kept. This is a class, so that the array's elements are cheap to move when the first ones are dropped.
  private final class Kept: Sendable {
    let frame: TakenFrame
    init(_ frame: TakenFrame) { self.frame = frame }
  }
  private struct State {
    /// The kept frames, the oldest first.
    var frames: [Kept] = []
    var bytes = 0
    /// The memory of dropped frames, which the next ones use. `nil`: the stream is over. Then neither a late frame nor its memory is kept.
    var pool: PayloadPool?
    /// Whether the bound is too small for frames of this size, so that none is kept.
    var isTooSmall = false
  }
  private let state: Mutex<State>
  /// The most bytes that are kept.
  let bound: Int
  /// Whether the stream is a session's, which runs with or without viewers.
  private let isOfSession: Bool

  /// The least number of frames that must fit into the bound. Larger frames are not kept at all: they would take much memory and not reach far back.
  static let leastFrames = 4

  init(bound: Int, isOfSession: Bool = false, pool: PayloadPool = PayloadPool(keep: 2)) {
    (self.bound, self.isOfSession) = (bound, isOfSession)
    state = Mutex(State(pool: pool))
  }

  var keepsStreamRunning: Bool { false }
  var holder: String { "the node" }
  func wants(_ moment: FrameMoment) -> Bool { isOfSession && !state.withLock(\.isTooSmall) }

  func take(_ taken: TakenFrame) -> NextFrame {
    let size = taken.frame.payload.count
    let isTooSmall = size * Self.leastFrames > bound
    state.withLock { $0.isTooSmall = isTooSmall }
    guard !isTooSmall else { return .stay }
    // Outside of the lock, the dropped frames give their memory back to the pool.
    _ = makeRoom(for: size, epoch: taken.moment.epoch)
    guard let pool = state.withLock(\.pool) else { return .stay }
    let kept = Kept(taken.copied(into: pool))
    state.withLock { state in
      guard state.pool != nil else { return }
      state.frames.append(kept)
      state.bytes += size
    }
    return .stay
  }

  /// Drops frames to make room: the oldest ones, and all from before a discontinuity.
  private func makeRoom(for size: Int, epoch: UInt64) -> [Kept] {
    state.withLock { state in
      var (gone, left) = (0, state.bytes)
      while gone < state.frames.count {
        let oldest = state.frames[gone].frame
        guard left + size > bound || oldest.moment.epoch != epoch else { break }
        left -= oldest.frame.payload.count
        gone += 1
      }
      guard gone > 0 else { return [] }
      defer {
        state.frames.removeFirst(gone)
        state.bytes = left
      }
      return Array(state.frames.prefix(gone))
    }
  }

  func streamEvent(_ event: StreamEvent) {
    guard case .ended = event else { return }
    _ = state.withLock { state in
      defer { state = State() }
      return state
    }
  }

  /// The frames that are kept, the oldest first.
  var frames: [TakenFrame] { state.withLock { $0.frames.map(\.frame) } }

  var reach: RecentReach {
    state.withLock { state in
      let (first, last) = (
        state.frames.first?.frame.moment.time ?? 0, state.frames.last?.frame.moment.time ?? 0
      )
      let span = last > first ? last - first : 0
      return RecentReach(
        duration: .nanoseconds(span), frames: state.frames.count, bytes: state.bytes, bound: bound)
    }
  }
}
