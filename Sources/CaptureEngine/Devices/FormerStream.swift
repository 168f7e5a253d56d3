import CaptureModel
import CaptureSystem

/// The stream that a camera had for subscribers when it went, kept for them: not whoever is the first to come back decides the format.
struct FormerStream {
  let request: StreamRequest
  let askedRate: Double?
  /// `CLOCK_MONOTONIC` nanoseconds; from then on anybody's request decides. Counts from the camera's return.
  private var until = MonotonicClock.now() + Self.patience

  private static let patience: UInt64 = 3_000_000_000

  init(_ stream: ActiveStream) { (request, askedRate) = (stream.request, stream.askedRate) }

  mutating func cameraReturned() { until = MonotonicClock.now() + Self.patience }

  /// Those who had it may still come.
  var isAwaited: Bool { MonotonicClock.now() < until }

  /// Whether it gives what is asked for.
  func gives(_ wanted: VideoRequest, of camera: CurrentCamera) -> Bool {
    let running = RunningStream(
      camera.name, StreamFormat(request), camera.imaging, for: .other("those who had it before"))
    return (try? FramePlan(wanted, in: running)) != nil
  }
}
