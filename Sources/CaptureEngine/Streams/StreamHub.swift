import CaptureModel
import CaptureSystem
import Synchronization

/// Takes a camera's frames on its capture queue, counts them, and offers each to the consumers.
final class StreamHub: FrameReceiver {
  struct State {
    /// In the order they came.
    var consumers: [any FrameConsumer] = []
    /// Frames of the stream so far: those taken, and those that nobody wanted.
    var frames: UInt64 = 0
    var discontinuity: StreamDiscontinuity?
    var epoch: UInt64 = 0
    /// Why there were no frames, until the first one after it.
    var interruption: String?
    /// Why what comes shows nothing: the camera's input has no signal.
    var noSignal: String?
    /// Why the frames to come are others, until the first of them.
    var reconfiguration: String?
    /// When the latest frame came, or the stream began: `CLOCK_MONOTONIC` nanoseconds.
    var lastFrame = MonotonicClock.now()
    var meter = RateMeter()
    var steadiness = Steadiness()
    var counters = HubCounters()
    /// Why no more can join.
    var end: CaptureError?
  }
  let state = Mutex(State())
  let timeline: SettingsTimeline
  /// Why a JPEG is truncated or corrupt; `nil` when it is whole.
  let defect: @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?
  /// Must not block.
  let tell: @Sendable (CameraNotice.Kind, String) -> Void

  /// `tell` hears, on the capture queue or an encoder's thread, what happens to the stream.
  init(
    timeline: SettingsTimeline, defect: @escaping @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?,
    tell: @escaping @Sendable (CameraNotice.Kind, String) -> Void
  ) {
    self.timeline = timeline
    self.defect = defect
    self.tell = tell
  }

  func streamEvent(_ event: StreamEvent) {
    switch event {
    case .interrupted(let reason):
      timeline.interrupted()
      state.withLock { state in
        state.interruption = reason
        state.counters.lastError = PastError(reason)
      }
      tell(.interrupted, reason)
      for consumer in consumers { consumer.streamEvent(event) }
    case .buffersLow:
      for consumer in consumers { consumer.streamEvent(event) }
    case .ended(let error):
      state.withLock { $0.counters.lastError = PastError(error.message) }
      end(error)
      tell(.ended, error.message)
    }
  }

  /// The camera starts anew, otherwise.
  func reconfigured(_ reason: String) { state.withLock { $0.reconfiguration = reason } }

  /// Ends the stream for every consumer.
  func end(_ error: CaptureError) {
    let consumers = state.withLock { state in
      defer { (state.end, state.consumers) = (state.end ?? error, []) }
      return state.consumers
    }
    for consumer in consumers { consumer.streamEvent(.ended(error)) }
  }

  /// No frame that comes shows anything, though the driver may give some.
  func signalLost(_ reason: String) {
    state.withLock { state in
      state.noSignal = reason
      state.counters.lastError = PastError(reason)
    }
    tell(.interrupted, reason)
    for consumer in consumers { consumer.streamEvent(.interrupted(reason: reason)) }
  }

  /// The next frame is the first one after an interruption.
  func signalReturned() {
    state.withLock { state in
      guard let reason = state.noSignal.take() else { return }
      state.interruption = state.interruption ?? reason
    }
  }

  /// Why what comes shows nothing; `nil`: it does.
  var noSignal: String? { state.withLock { $0.noSignal } }

  /// Why the stream is over.
  var end: CaptureError? { state.withLock { $0.end } }

  /// "the last frame came 12 s ago"
  var silence: String {
    let (frames, lastFrame) = state.withLock { ($0.frames, $0.lastFrame) }
    let seconds = (MonotonicClock.now() - lastFrame) / 1_000_000_000
    return frames == 0 ? "it has given none in \(seconds) s" : "the last frame came \(seconds) s ago"
  }
}
