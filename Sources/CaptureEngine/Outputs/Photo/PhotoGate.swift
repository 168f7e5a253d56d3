import CaptureModel

/// Tells the first frame whose exposure began after a photo was asked for.
struct PhotoGate {
  /// `CLOCK_MONOTONIC` nanoseconds.
  private let requested: UInt64
  private var framesSeen = 0

  /// Frames that may already be exposed or waiting in the driver when nothing says when a frame was taken.
  static let framesInDoubt = 2
  /// A timestamp further than this from now is on no clock that we know.
  static let plausible: UInt64 = 10_000_000_000
  /// The longest exposure assumed where the driver does not say its frame interval, ns.
  static let assumedInterval: UInt64 = 33_400_000

  init(requested: UInt64) { self.requested = requested }

  /// Asked for every frame, in order, at the time `now` that it came.
  mutating func accepts(_ timestamp: FrameTimestamp, interval: FrameInterval?, at now: UInt64) -> Bool {
    framesSeen += 1
    let time = timestamp.nanoseconds
    let distance = time > now ? time - now : now - time
    guard timestamp.clock == .monotonic, distance < Self.plausible else {
      return framesSeen > Self.framesInDoubt
    }
    switch timestamp.source {
    case .startOfExposure: return time >= requested
    // It cannot have been exposed for longer than an interval.
    case .endOfFrame: return time >= requested + (interval?.nanoseconds ?? Self.assumedInterval)
    }
  }
}
