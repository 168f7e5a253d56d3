import CaptureModel

extension TakenFrame {
  /// When its exposure began, `CLOCK_MONOTONIC` nanoseconds, and how that is known; where nobody knows, the frame's time.
  var beginning: (time: UInt64, provenance: Provenance) {
    var description = PictureDescription(frame)
    description.settings = settings
    guard let exposure = description.exposure else { return (moment.time, .assumed) }
    return (exposure.start, exposure.provenance)
  }

  /// How far its exposure's beginning is from a moment.
  func distance(to time: UInt64) -> UInt64 {
    let own = beginning.time
    return own > time ? own - time : time - own
  }

  func nearness(to time: UInt64) -> PhotoNearness {
    let (own, provenance) = beginning
    return PhotoNearness(.nanoseconds(Int64(bitPattern: own &- time)), provenance)
  }
}
