import CaptureModel
import Synchronization

/// Takes one frame of a stream for a photo, and waits for it.
final class PhotoConsumer: FrameConsumer {
  private struct State {
    var choice: any FrameChoice
    /// The best frame so far.
    var best: TakenFrame?
    /// How many frames came before the last one.
    var framesBefore = 0
  }
  private let state: Mutex<State>
  private let ending = Ending()

  /// `best`: a frame that is there already; `nil`: there is none.
  init(_ choice: any FrameChoice, best: TakenFrame? = nil) {
    state = Mutex(State(choice: choice, best: best))
  }

  /// Takes the next frame, whichever that is.
  convenience init() { self.init(FirstFrame()) }

  /// Takes the first frame that was exposed at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later with wanted settings, after skipping so many such
  /// frames.
  convenience init(
    requested: UInt64, skipping: Int = 0, isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    self.init(
      FirstFrame(filter: ExposureFilter(requested: requested), skipping: skipping, isWanted: isWanted))
  }

  /// Takes the first frame that is known to have a change, after skipping so many such frames.
  convenience init(change: UInt64, skipping: Int) {
    let hasChange = { @Sendable (settings: FrameSettings?) in (settings?.change ?? 0) >= change }
    self.init(FirstFrame(skipping: skipping, isWanted: hasChange, mostUnwanted: .max))
  }

  /// How many frames came before the one that it takes.
  var framesBefore: Int { state.withLock(\.framesBefore) }

  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { true }

  func take(_ taken: TakenFrame) -> NextFrame {
    let (former, isLast) = state.withLock { state -> (TakenFrame?, Bool) in
      let (isBest, isLast) = state.choice.judge(taken, best: state.best)
      if !isLast { state.framesBefore += 1 }
      guard isBest else { return (nil, isLast) }
      defer { state.best = taken }
      return (state.best, isLast)
    }
    // The driver's buffer goes back outside of the lock.
    withExtendedLifetime(former) {}
    guard isLast else { return .stay }
    ending.end(nil)
    return .done
  }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { fail(error) }
  }

  func fail(_ error: CaptureError) { ending.end(error) }

  /// Waits for the frame. Throws why the stream ended, or `cancelled` when the task is cancelled.
  func wait() async throws(CaptureError) -> TakenFrame {
    try await ending.wait()
    guard let taken = state.withLock({ $0.best.take() }) else {
      throw CaptureError(.cancelled, "the photo was cancelled", .init(.cancelled))
    }
    return taken
  }
}
