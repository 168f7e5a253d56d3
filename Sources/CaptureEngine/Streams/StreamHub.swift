import CaptureModel
import CaptureSystem
import Synchronization

/// Takes a camera's frames on the capture thread, counts them, and offers each to the consumers.
final class StreamHub: FrameReceiver {
  struct State {
    /// The consumers, in the order in which they joined.
    var consumers: [any FrameConsumer] = []
    /// How many frames the stream has had: those that were taken, and those that nobody wanted.
    var frames: UInt64 = 0
    var discontinuity: StreamDiscontinuity?
    var epoch: UInt64 = 0
    /// Why no frames come. It is set from an interruption until the next frame.
    var interruption: String?
    /// Why frames show nothing: the camera's input has no signal.
    var noSignal: String?
    /// Set while frames are withheld from the consumers.
    var withholding: Withholding?
    /// Why the next frames differ from those before. It is set until the first of them has come.
    var reconfiguration: String?
    /// When the latest frame came, or the stream began, in `CLOCK_MONOTONIC` nanoseconds.
    var lastFrame = MonotonicClock.now()
    var meter = RateMeter()
    var steadiness = Steadiness()
    var counters = HubCounters()
    /// Why no consumer can join any more.
    var end: CaptureError?
  }
  /// Only the hub and its extensions in this folder use the state.
  let state = Mutex(State())
  let timeline: SettingsTimeline
  /// Says why a JPEG is truncated or corrupt; `nil` when it is whole.
  let defect: @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?
  /// Reports notices. It must not block.
  let report: @Sendable (CameraNotice.Kind, String) -> Void
  /// Called on the capture thread when the last consumer that keeps the stream running has left by taking its last frame. It must not block.
  let becameIdle: @Sendable () -> Void

  /// `report` is called with the stream's events, on the capture thread or an encoder's thread.
  init(
    timeline: SettingsTimeline, defect: @escaping @Sendable (_ jpeg: Payload, _ size: FrameSize) -> String?,
    report: @escaping @Sendable (CameraNotice.Kind, String) -> Void,
    becameIdle: @escaping @Sendable () -> Void = {}
  ) {
    self.timeline = timeline
    self.defect = defect
    (self.report, self.becameIdle) = (report, becameIdle)
  }

  func streamEvent(_ event: StreamEvent) {
    // A driver may hold an event back until long after the stream's end, when the camera is there again and another stream runs.
    switch event {
    case .interrupted(let reason):
      let isOver = state.withLock { state in
        guard state.end == nil else { return true }
        state.interruption = reason
        state.counters.lastError = PastError(reason)
        return false
      }
      if isOver { return }
      timeline.interrupted()
      report(.interrupted, reason)
      for consumer in consumers { consumer.streamEvent(event) }
    case .buffersLow:
      for consumer in consumers { consumer.streamEvent(event) }
    case .ended(let error):
      guard end(error) else { return }
      state.withLock { $0.counters.lastError = PastError(error.message) }
      report(.ended, error.message)
    }
  }

  /// Notes that the camera starts again in another form, and why.
  func reconfigured(_ reason: String) { state.withLock { $0.reconfiguration = reason } }

  /// Ends the stream for every consumer. Returns `false` where it had ended before.
  @discardableResult func end(_ error: CaptureError) -> Bool {
    let (consumers, isFirst) = state.withLock { state in
      defer { (state.end, state.consumers) = (state.end ?? error, []) }
      return (state.consumers, state.end == nil)
    }
    for consumer in consumers { consumer.streamEvent(.ended(error)) }
    return isFirst
  }

  /// Notes that frames show nothing, though the driver may deliver some.
  func signalLost(_ reason: String) {
    state.withLock { state in
      state.noSignal = reason
      state.counters.lastError = PastError(reason)
    }
    report(.interrupted, reason)
    for consumer in consumers { consumer.streamEvent(.interrupted(reason: reason)) }
  }

  /// Notes that the next frame shows a picture again: it is the first one after an interruption.
  func signalReturned() {
    state.withLock { state in
      guard let reason = state.noSignal.take() else { return }
      state.interruption = state.interruption ?? reason
    }
  }

  /// Why frames show nothing; `nil`: they show a picture.
  var noSignal: String? { state.withLock { $0.noSignal } }

  /// Why no frames come at present, or why they show nothing; `nil`: they come and show a picture.
  var interruption: String? { state.withLock { $0.noSignal ?? $0.interruption } }

  var isInterrupted: Bool { interruption != nil }

  /// Why the stream is over; `nil`: it is not.
  var end: CaptureError? { state.withLock { $0.end } }

  /// "the last frame came 12 s ago"
  var silence: String {
    let (frames, lastFrame) = state.withLock { ($0.frames, $0.lastFrame) }
    let seconds = (MonotonicClock.now() - lastFrame) / 1_000_000_000
    return frames == 0 ? "it has given none in \(seconds) s" : "the last frame came \(seconds) s ago"
  }
}
