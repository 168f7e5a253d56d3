import CaptureModel
import Synchronization

/// A photo waiting for its frame.
final class PhotoTap: Sendable {
  private let gate: Mutex<PhotoGate>
  private let frame = Mutex<TakenFrame?>(nil)
  private let ending = Ending()

  init(requested: UInt64) { gate = Mutex(PhotoGate(requested: requested)) }

  func accepts(_ frame: Frame, at now: UInt64) -> Bool {
    gate.withLock { $0.accepts(frame.timestamp, interval: frame.format.interval, at: now) }
  }

  func succeed(_ taken: TakenFrame) {
    frame.withLock { $0 = taken }
    ending.end(nil)
  }

  func fail(_ error: CaptureError) { ending.end(error) }

  /// The frame. Throws why the stream ended, or `cancelled` with the task.
  func wait() async throws(CaptureError) -> TakenFrame {
    try await ending.wait()
    guard let taken = frame.withLock({ $0.take() }) else {
      throw CaptureError(.cancelled, "the photo was cancelled")
    }
    return taken
  }
}
