import CaptureModel

/// Decides when a silence of the camera is reported, and when the end of the silence is reported.
struct StallWatch {
  var lastFrame: UInt64 = 0
  private var wasReported = false

  /// Returns `true` once for each stall: when no frame has come for a second, or for three frame intervals if those are longer.
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
