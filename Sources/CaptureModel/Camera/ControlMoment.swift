/// When a driver was given a control's value: between these, `CLOCK_MONOTONIC` nanoseconds.
public struct ControlMoment: Hashable, Sendable {
  public var began: UInt64
  public var ended: UInt64

  public init(began: UInt64, ended: UInt64) {
    self.began = began
    self.ended = ended
  }
}

/// The rhythm of a running stream, for setting a control well away from where one frame's exposure ends and the next begins: only then
/// it is certain which frame has it.
public struct FramePacing: Hashable, Sendable {
  /// Some frame's exposure began then, `CLOCK_MONOTONIC` nanoseconds.
  public var start: UInt64
  /// Nanoseconds from one frame's start to the next.
  public var interval: UInt64

  /// The longest that a call is held up; and how near a boundary is too near, before it and after it.
  public static let longestWait: UInt64 = 2_000_000
  static let before: UInt64 = 1_000_000
  static let after: UInt64 = 400_000

  public init(start: UInt64, interval: UInt64) {
    self.start = start
    self.interval = interval
  }

  /// Nanoseconds to wait from `now` before a control is set; 0 where no boundary is near, or frames follow too closely for a choice.
  public func wait(at now: UInt64) -> UInt64 {
    guard interval >= 4 * (Self.before + Self.after), now >= start else { return 0 }
    let phase = (now - start) % interval
    if phase < Self.after { return Self.after - phase }
    let left = interval - phase
    return left < Self.before ? min(left + Self.after, Self.longestWait) : 0
  }
}
