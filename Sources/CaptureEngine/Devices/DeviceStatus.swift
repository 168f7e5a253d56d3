import CaptureModel
import CaptureSystem

/// How a camera's stream is.
public struct DeviceStatus: Sendable {
  /// `nil`: not streaming.
  public var format: StreamFormat?
  /// Frames a second over the last ones.
  public var measuredRate = 0.0
  public var subscribers = 0
  /// Of the driver, since the node started.
  public var counters = CameraCounters()
  /// Compressed frames that were truncated or corrupt, dropped.
  public var corrupt: UInt64 = 0
  /// Newest-wins discards over all subscriptions.
  public var discarded: UInt64 = 0
  public var encoded: UInt64 = 0
  public var encodeTime: Duration = .zero
  /// How its driver answers.
  public var response = Responsiveness.responding
  /// In use; `nil`: the camera has none that could change.
  public var input: CameraInput?
  /// "" when there was none.
  public var lastError = ""
  /// Since then.
  public var lastErrorAge: Duration = .zero
}

/// Counts of what is over.
struct PastCounters: Sendable {
  var driver = CameraCounters()
  var streams = HubCounters()

  mutating func add(_ counters: CameraCounters) {
    driver.frames += counters.frames
    driver.flagged += counters.flagged
    driver.lost += counters.lost
    driver.restarts += counters.restarts
  }
}

extension DeviceStatus {
  /// `past`: of streams and cameras that are over.
  init(
    _ camera: CurrentCamera, _ stream: ActiveStream?, _ input: CameraInput?, past: PastCounters,
    _ response: Responsiveness
  ) {
    var total = past
    if let error = camera.lastError, error.time >= total.streams.lastError?.time ?? 0 {
      total.streams.lastError = error
    }
    if let counters = (camera.present ?? camera.silent)?.counters {
      total.add(counters)
      total.driver.buffers = counters.buffers
      total.driver.buffersLent = counters.buffersLent
    }
    if let stream {
      let now = MonotonicClock.now()
      let subscriptions = stream.video.subscriptions
      total.streams.add(stream.hub.counters)
      for subscription in subscriptions { total.streams.discarded += subscription.discarded }
      format = stream.format
      measuredRate = stream.hub.state.withLock { $0.meter.rate(now) }
      subscribers = subscriptions.count
    }
    (self.response, self.input) = (response, input)
    counters = total.driver
    corrupt = total.streams.corrupt
    discarded = total.streams.discarded
    encoded = total.streams.encoded
    encodeTime = total.streams.encodeTime
    if let error = total.streams.lastError {
      lastError = error.message
      lastErrorAge = .nanoseconds(MonotonicClock.now() - error.time)
    }
  }
}
