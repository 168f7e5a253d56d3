import CaptureControls
import CaptureModel
import CaptureSystem

/// The stream that a camera had for subscribers when it was unplugged. It is kept for them, so that the first client to come back does not determine
/// the format.
struct FormerStream {
  let request: StreamRequest
  let askedRate: Double?
  /// For how long the stream is kept, from the unplugging, and again from the return.
  var patience: Duration
  /// When that time began, in `CLOCK_MONOTONIC` nanoseconds.
  private var began = MonotonicClock.now()

  init(_ stream: ActiveStream, patience: Duration) {
    (request, askedRate, self.patience) = (stream.request, stream.askedRate, patience)
  }

  mutating func cameraReturned() { began = MonotonicClock.now() }

  /// For how long the former subscribers may still come.
  var timeLeft: Duration { patience - .nanoseconds(Int64(MonotonicClock.now() - began)) }

  /// Whether the former subscribers may still come.
  var isAwaited: Bool { timeLeft > .zero }

  /// Whether the stream can serve the request.
  func canServe(_ wanted: VideoRequest, of camera: CurrentCamera) -> Bool {
    let running = RunningStream(
      camera.name, StreamFormat(request), camera.imaging, for: .other("its former viewers"))
    return (try? FramePlan(wanted, in: running)) != nil
  }
}
