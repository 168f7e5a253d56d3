import CaptureModel
import CaptureSystem

/// The state of a camera's stream.
public struct DeviceStatus: Sendable {
  /// `nil`: the camera does not stream.
  public var format: StreamFormat?
  /// The rate of the latest frames, in frames a second.
  public var measuredRate = 0.0
  public var subscribers = 0
  /// The driver's counters since the node started.
  public var counters = CameraCounters()
  /// Compressed frames that were dropped because they were truncated or corrupt.
  public var corrupt: UInt64 = 0
  /// Frames that newer ones replaced, over all subscriptions.
  public var discarded: UInt64 = 0
  public var encoded: UInt64 = 0
  public var encodeTime: Duration = .zero
  /// How the driver answers.
  public var response = Responsiveness.responding
  /// The input in use; `nil`: the camera has no input that could change.
  public var input: CameraInput?
  /// The last error; empty: there was none.
  public var lastError = ""
  /// The time since the last error.
  public var lastErrorAge: Duration = .zero
}

/// The counts of former streams and cameras.
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
  /// `past`: the counts of former streams and cameras.
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
      measuredRate = stream.hub.measuredRate(at: now)
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
