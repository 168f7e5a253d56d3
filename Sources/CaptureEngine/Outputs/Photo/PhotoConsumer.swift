import CaptureModel
import Synchronization

/// Takes the frame of a photo from a stream, and waits for it.
final class PhotoConsumer {
  fileprivate struct State {
    /// Tells which frames were exposed late enough; `nil`: all were.
    var gate: PhotoGate?
    /// How many more wanted frames are skipped.
    var skipping: Int
    /// How many frames were not wanted so far.
    var unwanted = 0
    /// How many frames passed before the one that it takes.
    var passed = 0
  }
  private let state: Mutex<State>
  private let isWanted: (@Sendable (FrameSettings?) -> Bool)?
  private let frame = Mutex<TakenFrame?>(nil)
  private let ending = Ending()

  /// After so many unwanted frames it takes any: no wanted one will come.
  private let mostUnwanted: Int

  /// How many frames passed before the one that it takes.
  var passed: Int { state.withLock(\.passed) }

  /// Takes the first frame that was exposed at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later with wanted settings, after skipping so many such
  /// frames.
  init(
    requested: UInt64, skipping: Int = 0, isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    state = Mutex(State(gate: PhotoGate(requested: requested), skipping: skipping))
    self.isWanted = isWanted
    mostUnwanted = 90
  }

  /// Takes the first frame that is known to have a change, after skipping so many such frames.
  init(change: UInt64, skipping: Int) {
    state = Mutex(State(gate: nil, skipping: skipping))
    isWanted = { settings in (settings?.change ?? 0) >= change }
    mostUnwanted = .max
  }

  /// Takes the next frame, whichever that is.
  init() {
    state = Mutex(State(gate: nil, skipping: 0))
    isWanted = nil
    mostUnwanted = 90
  }

  private func accepts(_ taken: TakenFrame) -> Bool {
    let frame = taken.frame
    return state.withLock { state in
      var isTaken = false
      defer { if !isTaken { state.passed += 1 } }
      guard
        state.gate?.accepts(frame.timestamp, interval: frame.format.interval, at: taken.moment.arrival)
          ?? true
      else { return false }
      if isWanted?(taken.settings) == false {
        state.unwanted += 1
        if state.unwanted <= mostUnwanted { return false }
      }
      defer { state.skipping -= 1 }
      isTaken = state.skipping <= 0
      return isTaken
    }
  }

  func fail(_ error: CaptureError) { ending.end(error) }

  /// Waits for the frame. Throws why the stream ended, or `cancelled` when the task is cancelled.
  func wait() async throws(CaptureError) -> TakenFrame {
    try await ending.wait()
    guard let taken = frame.withLock({ $0.take() }) else {
      throw CaptureError(.cancelled, "the photo was cancelled", .init(.cancelled))
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
