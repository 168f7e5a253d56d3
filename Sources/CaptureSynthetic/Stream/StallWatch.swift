import CaptureModel

/// Decides when a silence of the camera is reported, and when its end is.
struct StallWatch {
  var lastFrame: UInt64 = 0
  private var wasReported = false

  /// Whether to report a stall, once for each: after a second, or after three frames of a slower stream.
  mutating func takeReport(at now: UInt64, interval: FrameInterval?) -> Bool {
    let patience = max(1_000_000_000, 3 * (interval?.nanoseconds ?? 0))
    guard !wasReported, now >= lastFrame + patience else { return false }
    wasReported = true
    return true
  }

  /// The discontinuity of the first frame after a reported stall.
  mutating func takeDiscontinuity() -> StreamDiscontinuity? {
    guard wasReported else { return nil }
    wasReported = false
    return StreamDiscontinuity(.resumed, reason: "the camera gave no frames for a while")
  }
}
