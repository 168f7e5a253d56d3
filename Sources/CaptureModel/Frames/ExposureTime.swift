/// When a frame's exposure was, on `CLOCK_MONOTONIC`.
public struct ExposureTime: Hashable, Sendable {
  /// Nanoseconds.
  public var start: UInt64
  /// Nanoseconds.
  public var end: UInt64
  /// How far start and end can be off, either way, in nanoseconds.
  public var uncertainty: UInt64
  /// `reported`: the driver's timestamp is that of the exposure's start, and its duration is reported or calibrated; otherwise `assumed`.
  public var provenance: Provenance

  public init(start: UInt64, end: UInt64, uncertainty: UInt64, provenance: Provenance) {
    (self.start, self.end, self.uncertainty, self.provenance) = (start, end, uncertainty, provenance)
  }

  /// Finds the time of an exposure from a driver's timestamp. `nil`: the timestamp is of another clock, or neither the `interval` between frames nor
  /// the `duration` of the exposure is known, or the times are not plausible.
  ///
  /// A timestamp can be late by up to the time between two frames. Drivers take the time of a frame's end when its last bytes have arrived, and many
  /// take the time of its start when its first bytes arrive.
  init?(_ timestamp: FrameTimestamp, interval: FrameInterval?, duration: Observed<Double>?) {
    let period = interval.map { 1e9 * Double($0.numerator) / Double($0.denominator) }
    let known = duration.flatMap { $0.provenance == .unknown || !($0.value > 0) ? nil : $0.value * 1e9 }
    guard timestamp.clock == .monotonic, let length = known ?? period, length < 1e15 else { return nil }
    let error = period ?? length
    // The last bytes come up to one period after the exposure, so half a period is assumed.
    let lag = timestamp.source == .endOfFrame ? error / 2 : 0
    let time = Double(timestamp.nanoseconds) - lag
    let start = timestamp.source == .endOfFrame ? time - length : time
    // A driver may give any number for a time.
    guard start > 0, start + length < 9e18 else { return nil }
    let isReported =
      known != nil && timestamp.source == .startOfExposure
      && [.reported, .calibrated].contains(duration?.provenance)
    self.init(
      start: UInt64(start), end: UInt64(start + length), uncertainty: UInt64(error - lag),
      provenance: isReported ? .reported : .assumed)
  }
}

extension PictureDescription {
  /// When the frame's exposure was, as far as that is known.
  public var exposure: ExposureTime? {
    ExposureTime(timestamp, interval: source.interval, duration: settings?.exposureDuration)
  }
}
