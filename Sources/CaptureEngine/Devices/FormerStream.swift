import CaptureControls
import CaptureModel
import CaptureSystem

/// The stream that a camera had for subscribers when it was unplugged. It is kept for them, so that the first client to come back does not determine the
/// format.
struct FormerStream {
  let request: StreamRequest
  let askedRate: Double?
  /// Until then the old format counts, in `CLOCK_MONOTONIC` nanoseconds. The time is counted from the unplugging, and again from the return.
  private var until = MonotonicClock.now() + Self.patience

  private static let patience: UInt64 = 3_000_000_000

  init(_ stream: ActiveStream) { (request, askedRate) = (stream.request, stream.askedRate) }

  mutating func cameraReturned() { until = MonotonicClock.now() + Self.patience }

  /// For how long its former subscribers may still come.
  var timeLeft: Duration { .nanoseconds(Int64(until) - Int64(MonotonicClock.now())) }

  /// Whether its former subscribers may still come.
  var isAwaited: Bool { MonotonicClock.now() < until }

  /// Whether it can serve the request.
  func canServe(_ wanted: VideoRequest, of camera: CurrentCamera) -> Bool {
    let running = RunningStream(
      camera.name, StreamFormat(request), camera.imaging, for: .other("its former viewers"))
    return (try? FramePlan(wanted, in: running)) != nil
  }
}
