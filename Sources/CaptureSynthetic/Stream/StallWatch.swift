import CaptureModel

/// When a silence of the camera is told, and that it is over.
struct StallWatch {
  var lastFrame: UInt64 = 0
  private var wasReported = false

  /// Once a stall: after a second, or three frames of a slower stream.
  mutating func isReported(at now: UInt64, interval: FrameInterval?) -> Bool {
    let patience = max(1_000_000_000, 3 * (interval?.nanoseconds ?? 0))
    guard !wasReported, now >= lastFrame + patience else { return false }
    wasReported = true
    return true
  }

  /// What the first frame after a reported stall says.
  mutating func takeDiscontinuity() -> StreamDiscontinuity? {
    guard wasReported else { return nil }
    wasReported = false
    return StreamDiscontinuity(.resumed, reason: "the camera gave no frames for a while")
  }
}
