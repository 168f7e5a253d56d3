import CaptureModel

extension TakenFrame {
  /// When the frame's exposure began, in `CLOCK_MONOTONIC` nanoseconds, and how that is known. If nobody knows, this is the frame's time.
  var beginning: (time: UInt64, provenance: Provenance) {
    var description = PictureDescription(frame)
    description.settings = settings
    guard let exposure = description.exposure else { return (moment.time, .assumed) }
    return (exposure.start, exposure.provenance)
  }

  /// How far the beginning of the frame's exposure is from a moment, in nanoseconds.
  func distance(to time: UInt64) -> UInt64 {
    let own = beginning.time
    return own > time ? own - time : time - own
  }

  func nearness(to time: UInt64) -> PhotoNearness {
    let (own, provenance) = beginning
    return PhotoNearness(.nanoseconds(Int64(bitPattern: own &- time)), provenance)
  }
}
