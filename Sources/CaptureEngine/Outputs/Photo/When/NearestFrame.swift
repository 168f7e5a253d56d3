import CaptureModel
import Synchronization

/// Takes the frame of a stream whose exposure began nearest to a moment.
final class NearestFrame: FrameConsumer {
  private let time: UInt64
  private let best: Mutex<TakenFrame?>
  private let ending = Ending()

  /// `best`: the nearest so far.
  init(to time: UInt64, best: TakenFrame? = nil) {
    self.time = time
    self.best = Mutex(best)
  }

  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { true }

  func take(_ taken: TakenFrame) -> NextFrame {
    let isOver = taken.beginning.time >= time
    // Only one frame is kept, and only near the moment: it keeps the driver's buffer.
    let former = best.withLock { best -> TakenFrame? in
      if let best, best.distance(to: time) <= taken.distance(to: time) { return nil }
      defer { best = taken }
      return best
    }
    withExtendedLifetime(former) {}
    guard isOver else { return .stay }
    ending.end(nil)
    return .done
  }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { fail(error) }
  }

  func fail(_ error: CaptureError) { ending.end(error) }

  func wait() async throws(CaptureError) -> TakenFrame {
    try await ending.wait()
    guard let taken = best.withLock({ $0.take() }) else { throw .callCancelled }
    return taken
  }
}
