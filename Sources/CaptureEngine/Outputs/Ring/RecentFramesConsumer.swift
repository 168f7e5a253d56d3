import CaptureModel
import CaptureSystem
import Synchronization

/// Keeps the newest frames of a stream, for photos of a moment that has passed. Each is copied once, when it comes: none keeps the driver's buffer.
///
/// It keeps no stream running. Of a running session it wants every frame; otherwise it takes those that other consumers want.
final class RecentFramesConsumer: FrameConsumer {
  /// A frame that is kept. The array of them has references, which are cheap to move up when its first is dropped.
  private final class Kept: Sendable {
    let frame: TakenFrame
    init(_ frame: TakenFrame) { self.frame = frame }
  }
  private struct State {
    /// The oldest first.
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
  /// Whether a session keeps the stream prepared, with or without viewers.
  private let isOfSession: Bool

  /// Frames so large that fewer than this fit are not kept at all: they would cost much and reach nowhere.
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
    // Outside of the lock the dropped frames give their memory to the pool.
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
