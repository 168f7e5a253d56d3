import CaptureModel
import CaptureSystem
import Synchronization

/// One way of encoding or turning a stream, for everybody who asked for it: one frame at a time, in order; for an encoder that is too
/// slow the newest wins.
final class EncodingSlot: Sendable {
  private let work: PictureWork
  private let encoder: any PictureEncoder
  private let workers: EncoderWorkers
  private let finished: @Sendable (Result<Picture, CaptureError>) -> Void
  private struct State {
    var waiting = Backlog<TakenFrame>(capacity: 2)
    var isAtWork = false
    var isEncoding = false
  }
  private let state = Mutex(State())

  /// `finished` is called on a worker.
  init(
    _ work: PictureWork, encoder: any PictureEncoder, workers: EncoderWorkers,
    finished: @escaping @Sendable (Result<Picture, CaptureError>) -> Void
  ) {
    self.work = work
    self.encoder = encoder
    self.workers = workers
    self.finished = finished
  }

  /// Frames that are waiting or being encoded.
  var underWay: Int { state.withLock { $0.waiting.count + ($0.isEncoding ? 1 : 0) } }

  /// Encodes `frame` soon, unless too many newer ones come first.
  func submit(_ frame: TakenFrame) {
    let (replaced, begins) = state.withLock { state in
      defer { state.isAtWork = true }
      return (state.waiting.append(frame), !state.isAtWork)
    }
    _ = replaced  // Their buffers go back outside the lock.
    if begins { workers.submit { self.encodeNext() } }
  }

  /// Lets go of the frames that wait.
  func relinquish() {
    let dropped = state.withLock { $0.waiting.removeAll() }
    _ = dropped
  }

  private func encodeNext() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      state.isAtWork = next != nil
      state.isEncoding = next != nil
      return next
    }
    guard let next else { return }
    finished(work.perform(on: next, with: encoder, into: workers.pool))
    let goesOn = state.withLock { state in
      state.isAtWork = !state.waiting.isEmpty
      state.isEncoding = false
      return state.isAtWork
    }
    // Behind what others have waiting.
    if goesOn { workers.submit { self.encodeNext() } }
  }
}
