import CaptureModel
import Synchronization

/// A photo waiting for its frame.
final class PhotoConsumer {
  fileprivate struct State {
    /// `nil`: whenever the frame was exposed.
    var gate: PhotoGate?
    var skipping: Int
    var unwanted = 0
  }
  private let state: Mutex<State>
  private let isWanted: (@Sendable (FrameSettings?) -> Bool)?
  private let frame = Mutex<TakenFrame?>(nil)
  private let ending = Ending()

  /// Frames after which what is wanted does not come any more.
  fileprivate static let mostUnwanted = 90

  /// Of the frames that were exposed from `requested` on the first that was taken with wanted settings, but for so many that are skipped.
  init(
    requested: UInt64, skipping: Int = 0, isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    state = Mutex(State(gate: PhotoGate(requested: requested), skipping: skipping))
    self.isWanted = isWanted
  }

  /// The next frame, whichever that is.
  init() {
    state = Mutex(State(gate: nil, skipping: 0))
    isWanted = nil
  }

  private func accepts(_ taken: TakenFrame) -> Bool {
    let frame = taken.frame
    return state.withLock { state in
      guard
        state.gate?.accepts(frame.timestamp, interval: frame.format.interval, at: taken.moment.arrival)
          ?? true
      else { return false }
      if isWanted?(taken.settings) == false {
        state.unwanted += 1
        if state.unwanted <= Self.mostUnwanted { return false }
      }
      defer { state.skipping -= 1 }
      return state.skipping <= 0
    }
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

extension PhotoConsumer: FrameConsumer {
  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }

  func wants(_ moment: FrameMoment) -> Bool { true }

  func take(_ taken: TakenFrame) -> NextFrame {
    guard accepts(taken) else { return .stay }
    frame.withLock { $0 = taken }
    ending.end(nil)
    return .done
  }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { fail(error) }
  }
}
