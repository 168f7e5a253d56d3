import CaptureModel
import Synchronization

/// Takes one frame of a stream for a photo, and waits for it.
final class PhotoConsumer: FrameConsumer {
  private struct State {
    var choice: any FrameChoice
    /// The best frame so far.
    var best: PhotoFrame?
    /// How many frames came before the one that ended the wait.
    var framesBefore = 0
    /// Why the latest frame that was judged the best could not be kept; `nil`: it was kept.
    var refusal: CaptureError?
  }
  private let state: Mutex<State>
  /// Keeps the frame; `nil`: the frame is looked at, and no photo is made of it.
  private let photos: PhotosUnderWay?
  private let ending = Ending()

  /// `best`: a frame that is there already; `nil`: there is none.
  init(_ choice: any FrameChoice, best: PhotoFrame? = nil, of photos: PhotosUnderWay? = nil) {
    state = Mutex(State(choice: choice, best: best))
    self.photos = photos
  }

  /// Takes the next frame, whichever that is, to look at it.
  convenience init() { self.init(FirstFrame()) }

  /// Takes the first frame with wanted settings that was exposed at `requested` (`CLOCK_MONOTONIC` nanoseconds) or later, after it has skipped
  /// `skipping` such frames.
  convenience init(
    of photos: PhotosUnderWay, requested: UInt64, skipping: Int = 0,
    isWanted: (@Sendable (FrameSettings?) -> Bool)? = nil
  ) {
    self.init(
      FirstFrame(filter: ExposureFilter(requested: requested), skipping: skipping, isWanted: isWanted),
      of: photos)
  }

  /// Takes the first frame that is known to have a change of settings, after it has skipped `skipping` such frames.
  convenience init(change: UInt64, skipping: Int) {
    let hasChange = { @Sendable (settings: FrameSettings?) in (settings?.change ?? 0) >= change }
    self.init(FirstFrame(skipping: skipping, isWanted: hasChange, mostUnwanted: .max))
  }

  /// How many frames came before the one that the consumer took.
  var framesBefore: Int { state.withLock(\.framesBefore) }

  var keepsStreamRunning: Bool { true }
  var holder: String { "a photo" }
  func wants(_ moment: FrameMoment) -> Bool { true }

  func take(_ taken: TakenFrame) -> NextFrame {
    let (isBest, isLast) = state.withLock { $0.choice.judge(taken, best: $0.best?.taken) }
    // If there is no room for the best frame, the photo waits for another one.
    let isRefused = isBest && !keep(taken)
    guard isLast, !isRefused else {
      state.withLock { $0.framesBefore += 1 }
      return .stay
    }
    ending.end(nil)
    return .done
  }

  /// Keeps a frame in place of the best one so far. Returns whether there was room for it.
  private func keep(_ taken: TakenFrame) -> Bool {
    letGoOfBest()
    do throws(CaptureError) {
      let frame = try photos?.keep(taken) ?? PhotoFrame(taken)
      state.withLock { ($0.best, $0.refusal) = (frame, nil) }
      return true
    } catch {
      state.withLock { $0.refusal = error }
      return false
    }
  }

  /// Releases the best frame so far. Its driver's buffer goes back outside of the lock, and before another frame is kept.
  private func letGoOfBest() {
    let former = state.withLock { $0.best.take() }
    withExtendedLifetime(former) {}
  }

  func streamEvent(_ event: StreamEvent) {
    if case .ended(let error) = event { ending.end(error) }
  }

  /// Ends the wait with `error`. If a frame came for which there was no room, the wait ends with the error about that instead.
  func fail(_ error: CaptureError) { ending.end(state.withLock { $0.refusal } ?? error) }

  /// Waits for the frame. Throws the reason why the stream ended, or `cancelled` when the task is cancelled.
  func wait() async throws(CaptureError) -> PhotoFrame {
    try await ending.wait()
    guard let frame = state.withLock({ $0.best.take() }) else {
      throw CaptureError(.cancelled, "the photo was cancelled", .init(.cancelled))
    }
    return frame
  }
}
