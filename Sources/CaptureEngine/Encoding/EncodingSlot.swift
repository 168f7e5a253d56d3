import CaptureModel
import CaptureSystem
import Synchronization

/// One way of encoding a stream, for everybody who asked for it: one frame at a time, in order; of those waiting the newest wins.
final class EncodingSlot: Sendable {
  let settings: JPEGSettings
  private let encoder: any PictureEncoder
  private let workers: EncoderWorkers
  private let finished: @Sendable (Result<Picture, CaptureError>) -> Void
  private struct State {
    var waiting: TakenFrame?
    var isAtWork = false
  }
  private let state = Mutex(State())

  /// `finished` is called on a worker.
  init(
    _ settings: JPEGSettings, encoder: any PictureEncoder, workers: EncoderWorkers,
    finished: @escaping @Sendable (Result<Picture, CaptureError>) -> Void
  ) {
    self.settings = settings
    self.encoder = encoder
    self.workers = workers
    self.finished = finished
  }

  /// Encodes `frame` soon, unless a newer one comes first.
  func submit(_ frame: TakenFrame) {
    let replaced: TakenFrame?
    let begins: Bool
    (replaced, begins) = state.withLock { state in
      let replaced = state.waiting
      state.waiting = frame
      defer { state.isAtWork = true }
      return (replaced, !state.isAtWork)
    }
    _ = replaced  // Its buffer goes back outside the lock.
    if begins { workers.submit { self.encodeNext() } }
  }

  /// Lets go of the frame that waits.
  func relinquish() {
    let dropped = state.withLock { $0.waiting.take() }
    _ = dropped
  }

  private func encodeNext() {
    let next = state.withLock { state in
      if state.waiting == nil { state.isAtWork = false }
      return state.waiting.take()
    }
    guard let next else { return }
    finished(Self.encode(next, as: settings, with: encoder, into: workers.pool))
    let goesOn = state.withLock { state in
      state.isAtWork = state.waiting != nil
      return state.isAtWork
    }
    // Behind what others have waiting.
    if goesOn { workers.submit { self.encodeNext() } }
  }

  static func encode(
    _ taken: TakenFrame, as settings: JPEGSettings, with encoder: any PictureEncoder, into pool: PayloadPool
  ) -> Result<Picture, CaptureError> {
    let start = MonotonicClock.now()
    do throws(CaptureError) {
      let jpeg = try encoder.encode(taken.frame, as: settings, into: pool)
      let time = Duration.nanoseconds(MonotonicClock.now() - start)
      let description = PictureDescription(jpegOf: taken.frame, size: settings.size, encodeTime: time)
      return .success(Picture(taken, description, payload: jpeg))
    } catch {
      return .failure(error)
    }
  }
}
