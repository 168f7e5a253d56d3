import CaptureModel
import Synchronization

/// A photo waiting for its frame.
final class PhotoTap {
  fileprivate struct State {
    var gate: PhotoGate
    var skipping: Int
    var unwanted = 0
    /// The time of the first unwanted frame, ns.
    var waitsSince: UInt64?
  }
  private let state: Mutex<State>
  private let isWanted: (@Sendable (FrameSettings?) -> Bool)?
  private let patience: Duration?
  private let frame = Mutex<TakenFrame?>(nil)
  private let ending = Ending()

  /// Frames after which what is wanted does not come any more.
  fileprivate static let mostUnwanted = 90
  /// Frames in which any mode has found what it looks for, on a camera that was never calibrated too.
  fileprivate static let mostUnsettled = 300

  /// Of the frames that were exposed from `requested` on the first that was taken with wanted settings, but for so many that are skipped.
  init(
    requested: UInt64, skipping: Int = 0, isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    state = Mutex(State(gate: PhotoGate(requested: requested), skipping: skipping))
    self.isWanted = isWanted
    patience = nil
  }

  /// The first frame that was exposed from `requested` on and is settled, or after `patience` any.
  init(
    requested: UInt64, settling patience: Duration, isSettled: @escaping @Sendable (FrameSettings?) -> Bool
  ) {
    state = Mutex(State(gate: PhotoGate(requested: requested), skipping: 0))
    isWanted = isSettled
    self.patience = patience
  }

  private func accepts(_ taken: TakenFrame) -> Bool {
    let frame = taken.frame
    return state.withLock { state in
      guard
        state.gate.accepts(frame.timestamp, interval: frame.format.interval, at: taken.moment.arrival)
      else { return false }
      if isWanted?(taken.settings) == false, state.waits(for: patience, at: frame.timestamp.nanoseconds) {
        return false
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

extension PhotoTap: FrameConsumer {
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

extension PhotoTap.State {
  /// An unwanted frame of that time came. Whether to wait for another one. `patience` is counted by frames' times: a mode that looks for something
  /// goes by frames, too.
  fileprivate mutating func waits(for patience: Duration?, at time: UInt64) -> Bool {
    unwanted += 1
    guard let patience else { return unwanted <= PhotoTap.mostUnwanted }
    let begin = waitsSince ?? time
    waitsSince = begin
    return unwanted <= PhotoTap.mostUnsettled && time >= begin
      && time - begin < UInt64(patience / .nanoseconds(1))
  }
}
