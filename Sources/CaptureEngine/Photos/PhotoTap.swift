import CaptureModel
import Synchronization

/// A photo waiting for its frame.
final class PhotoTap: Sendable {
  private struct State {
    var gate: PhotoGate
    var skipping: Int
    var unwanted = 0
  }
  private let state: Mutex<State>
  private let isWanted: (@Sendable (FrameSettings?) -> Bool)?
  private let frame = Mutex<TakenFrame?>(nil)
  private let ending = Ending()

  /// Frames after which what is wanted does not come any more.
  private static let mostUnwanted = 90

  /// Of the frames that were exposed from `requested` on the first that was taken with wanted settings, but for so many that are skipped.
  init(
    requested: UInt64, skipping: Int = 0, isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    state = Mutex(State(gate: PhotoGate(requested: requested), skipping: skipping))
    self.isWanted = isWanted
  }

  func accepts(_ frame: Frame, takenWith settings: FrameSettings?, at now: UInt64) -> Bool {
    state.withLock { state in
      guard state.gate.accepts(frame.timestamp, interval: frame.format.interval, at: now) else {
        return false
      }
      if state.unwanted < Self.mostUnwanted, isWanted?(settings) == false {
        state.unwanted += 1
        return false
      }
      defer { state.skipping -= 1 }
      return state.skipping <= 0
    }
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
