import CaptureModel

/// Decides which frames began their exposure after a photo was asked for.
struct ExposureFilter {
  /// When the photo was asked for, in `CLOCK_MONOTONIC` nanoseconds.
  private let requested: UInt64
  private var framesSeen = 0

  /// How many frames may have been exposed, or may wait in the driver, when the photo is asked for. This many frames are declined if timestamps do
  /// not say when frames were taken.
  static let framesInDoubt = 2
  /// The longest exposure in nanoseconds that is assumed if the driver does not report its frame interval.
  static let assumedInterval: UInt64 = 33_400_000

  init(requested: UInt64) { self.requested = requested }

  /// Returns whether a frame was exposed late enough. Call this for every frame, in order. `now`: the time at which the frame came.
  mutating func accepts(_ timestamp: FrameTimestamp, interval: FrameInterval?, at now: UInt64) -> Bool {
    framesSeen += 1
    guard timestamp.clock == .monotonic, timestamp.isPlausible(arrival: now) else {
      return framesSeen > Self.framesInDoubt
    }
    let time = timestamp.nanoseconds
    switch timestamp.source {
    case .startOfExposure: return time >= requested
    // A frame cannot have been exposed for longer than an interval.
    case .endOfFrame: return time >= requested + (interval?.nanoseconds ?? Self.assumedInterval)
    }
  }
}
