import CaptureModel
import CaptureSystem
import Synchronization

/// Takes a camera's frames on its capture queue and hands each to those who want it. Per frame it does one encode per distinct
/// request and one hop per loop; nothing of it grows with slow subscribers.
final class StreamHub: FrameReceiver {
  struct State {
    /// By what they deliver.
    var outputs: [Output] = []
    /// In the order they came: the first fixed the format.
    var subscriptions: [FrameSubscription] = []
    var photos: [PhotoTap] = []
    /// Frames of the stream so far: those taken, and those that nobody wanted.
    var frames: UInt64 = 0
    var discontinuity: StreamDiscontinuity?
    var epoch: UInt64 = 0
    /// Why there were no frames, until the first one after it.
    var interruption: String?
    /// Why the frames to come are others, until the first of them.
    var reconfiguration: String?
    /// When the latest frame came, or the stream began: `CLOCK_MONOTONIC` nanoseconds.
    var lastFrame = MonotonicClock.now()
    var meter = RateMeter()
    var counters = HubCounters()
    /// Why no more can join.
    var end: CaptureError?
  }
  let camera: String
  let imaging: Imaging
  let workers: EncoderWorkers
  let state = Mutex(State())
  let timeline: SettingsTimeline
  /// Sees the frames too, while it needs them.
  let software: (any SoftwareControl)?
  /// Must not block.
  let tell: @Sendable (CameraNotice.Kind, String) -> Void

  /// `tell` hears, on the capture queue or an encoder's thread, what happens to the stream.
  init(
    camera: String, imaging: Imaging, workers: EncoderWorkers, timeline: SettingsTimeline,
    software: (any SoftwareControl)?,
    tell: @escaping @Sendable (CameraNotice.Kind, String) -> Void
  ) {
    self.camera = camera
    self.imaging = imaging
    self.workers = workers
    self.timeline = timeline
    self.software = software
    self.tell = tell
  }

  func streamEvent(_ event: StreamEvent) {
    switch event {
    case .interrupted(let reason):
      timeline.interrupted()
      let outputs = state.withLock { state in
        state.interruption = reason
        state.counters.lastError = PastError(reason)
        return state.outputs
      }
      tell(.interrupted, reason)
      for output in outputs { output.post(interruption: reason) }
    case .buffersLow:
      for output in state.withLock({ $0.outputs }) { output.relinquish() }
      software?.relinquish()
    case .ended(let error):
      state.withLock { $0.counters.lastError = PastError(error.message) }
      end(error)
      tell(.ended, error.message)
    }
  }

  /// The camera starts anew, otherwise.
  func reconfigured(_ reason: String) { state.withLock { $0.reconfiguration = reason } }

  /// Ends every subscription and photo.
  func end(_ error: CaptureError) {
    let (subscriptions, photos) = state.withLock { state in
      defer {
        state.end = state.end ?? error
        for subscription in state.subscriptions {
          subscription.leave(frames: state.frames, epoch: state.epoch)
          state.counters.discarded += subscription.discarded
        }
        (state.outputs, state.subscriptions, state.photos) = ([], [], [])
      }
      return (state.subscriptions, state.photos)
    }
    for subscription in subscriptions { subscription.streamEnded(error) }
    for photo in photos { photo.fail(error) }
  }
}

/// What a stream counts beside its driver.
struct HubCounters: Sendable {
  var corrupt: UInt64 = 0
  var encoded: UInt64 = 0
  var encodeTime: Duration = .zero
  /// Of subscriptions that are over.
  var discarded: UInt64 = 0
  var lastError: PastError?
}

/// Measures the rate of the latest frames.
struct RateMeter {
  private var times = [UInt64](repeating: 0, count: 64)
  private var count = 0

  /// A frame came, `CLOCK_MONOTONIC` nanoseconds.
  mutating func tick(_ now: UInt64) {
    times[count % times.count] = now
    count += 1
  }

  /// Frames a second over the latest frames, at most 64 and 3 s old; 0 when there are none.
  func rate(_ now: UInt64) -> Double {
    let recent = (0..<min(count, times.count)).lazy.map { times[(count - 1 - $0) % times.count] }
      .prefix { $0 + 3_000_000_000 > now }
    let number = recent.count
    guard number > 1, let first = recent.first else { return 0 }
    let oldest = times[(count - number) % times.count]
    return Double(number - 1) * 1e9 / Double(max(first - oldest, 1))
  }
}
