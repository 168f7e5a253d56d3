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

  mutating func add(_ counters: HubCounters) {
    streams.corrupt += counters.corrupt
    streams.encoded += counters.encoded
    streams.encodeTime += counters.encodeTime
    streams.discarded += counters.discarded
    if let error = counters.lastError, error.time >= streams.lastError?.time ?? 0 {
      streams.lastError = error
    }
  }
}

extension DeviceController {
  public func status() -> DeviceStatus {
    var total = past
    if let camera {
      let counters = camera.counters
      total.add(counters)
      total.driver.buffers = counters.buffers
      total.driver.buffersLent = counters.buffersLent
    }
    var status = DeviceStatus()
    if let stream {
      let now = MonotonicClock.now()
      let (counters, rate, subscriptions) = stream.hub.state.withLock {
        ($0.counters, $0.meter.rate(now), $0.subscriptions)
      }
      total.add(counters)
      for subscription in subscriptions { total.streams.discarded += subscription.discarded }
      status.format = stream.format
      status.measuredRate = rate
      status.subscribers = subscriptions.count
    }
    status.counters = total.driver
    status.corrupt = total.streams.corrupt
    status.discarded = total.streams.discarded
    status.encoded = total.streams.encoded
    status.encodeTime = total.streams.encodeTime
    if let error = total.streams.lastError {
      status.lastError = error.message
      status.lastErrorAge = .nanoseconds(MonotonicClock.now() - error.time)
    }
    return status
  }
}
