import CaptureModel
import CaptureSystem
import Synchronization

/// Encodes or turns a stream's frames in one way, for all clients that asked for it: one frame at a time, in order. If the encoder is too slow, newer
/// frames replace older ones.
final class EncodingSlot: Sendable {
  private let work: PictureWork
  private let camera: CameraID
  private let workers: FrameWorkers
  private let finished: @Sendable (_ ordinal: UInt64, Result<Picture, CaptureError>) -> Void
  private struct State {
    var waiting = Backlog<TakenFrame>(capacity: 2)
    /// Whether a piece of the slot's work waits or runs at the workers.
    var isAtWork = false
    var isEncoding = false
    var isOver = false
  }
  private let state = Mutex(State())

  /// `finished` is called on a worker, with the frame's number in its stream.
  init(
    _ work: PictureWork, of camera: CameraID, workers: FrameWorkers,
    finished: @escaping @Sendable (_ ordinal: UInt64, Result<Picture, CaptureError>) -> Void
  ) {
    self.work = work
    self.camera = camera
    self.workers = workers
    self.finished = finished
    workers.renditionBegan()
  }

  /// How many frames wait or are being encoded.
  var underWay: Int { state.withLock { $0.waiting.count + ($0.isEncoding ? 1 : 0) } }

  /// Encodes `frame` soon, unless too many newer ones come before. Returns the ordinals of the frames that it replaces.
  func submit(_ frame: TakenFrame) -> [UInt64] {
    let (replaced, begins) = state.withLock { state -> ([TakenFrame], Bool) in
      if state.isOver { return ([], false) }
      defer { state.isAtWork = true }
      return (state.waiting.append(frame), !state.isAtWork)
    }
    if begins { takeTurn(at: workers.forFrame(frame)) }
    return replaced.map(\.moment.ordinal)  // Their buffers are given back outside the lock.
  }

  /// Asks `workers` for a turn, which may have to wait for other work.
  private func takeTurn(at workers: EncoderWorkers) {
    workers.submit(for: camera) { self.encodeNext(at: workers, with: $0) }
  }

  /// Releases the frames that wait. Returns their ordinals.
  func releaseBuffers() -> [UInt64] {
    let dropped = state.withLock { $0.waiting.removeAll() }
    return dropped.map(\.moment.ordinal)
  }

  /// Ends the slot: nobody wants its pictures any more. Frames that wait are not encoded.
  func end() {
    let (dropped, isFirst) = state.withLock { state in
      defer { state.isOver = true }
      return (state.waiting.removeAll(), !state.isOver)
    }
    _ = dropped
    if isFirst { workers.renditionEnded() }
  }

  private func encodeNext(at present: EncoderWorkers, with encoder: () -> any PictureEncoder) {
    let (next, others) = state.withLock { state -> (TakenFrame?, EncoderWorkers?) in
      let workers = state.waiting.first.map { self.workers.forFrame($0) }
      // The frame that caused this turn may have been replaced by one in another format, which has other workers.
      if let workers, workers !== present { return (nil, workers) }
      state.isAtWork = workers != nil
      state.isEncoding = workers != nil
      return (state.waiting.popFirst(), nil)
    }
    if let others { return takeTurn(at: others) }
    guard let next else { return }
    finished(next.moment.ordinal, work.perform(on: next, with: encoder(), into: present.pool))
    let following = state.withLock { state -> EncoderWorkers? in
      state.isAtWork = !state.waiting.isEmpty
      state.isEncoding = false
      return state.waiting.first.map { self.workers.forFrame($0) }
    }
    if let following { takeTurn(at: following) }
  }
}
