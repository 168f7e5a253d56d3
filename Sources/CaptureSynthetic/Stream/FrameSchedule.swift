import CaptureModel

/// Says when frames are due: frame n comes exactly n intervals after the first, however long the stream runs.
struct FrameSchedule {
  /// The time of frame 0 on the monotonic clock.
  let start: UInt64
  let interval: FrameInterval

  /// When the frame is due, in nanoseconds, rounded down.
  func due(_ sequence: UInt64) -> UInt64 {
    let wide = (sequence * UInt64(interval.numerator)).multipliedFullWidth(by: 1_000_000_000)
    return start + UInt64(interval.denominator).dividingFullWidth(wide).quotient
  }

  /// When the frame's exposure begins: one interval before the frame is due.
  func begin(_ sequence: UInt64) -> UInt64 {
    sequence == 0 ? start - interval.nanoseconds : due(sequence - 1)
  }

  /// The first frame whose exposure begins at `time` or later.
  func firstBeginning(at time: UInt64) -> UInt64 {
    if time <= begin(0) { return 0 }
    if time <= start { return 1 }
    let last = last(at: time)
    return due(last) == time ? last + 1 : last + 2
  }

  /// The last frame due at `time`; 0 before the first.
  func last(at time: UInt64) -> UInt64 {
    guard time > start else { return 0 }
    let wide = (time - start).multipliedFullWidth(by: UInt64(interval.denominator))
    var sequence = (UInt64(interval.numerator) * 1_000_000_000).dividingFullWidth(wide).quotient
    while due(sequence + 1) <= time { sequence += 1 }
    return sequence
  }
}
