/// The time span in which a driver got a control's value, in `CLOCK_MONOTONIC` nanoseconds.
public struct ControlMoment: Hashable, Sendable {
  public var began: UInt64
  public var ended: UInt64

  public init(began: UInt64, ended: UInt64) {
    self.began = began
    self.ended = ended
  }
}

/// The rhythm of a running stream. A control that is set well away from the moment at which one frame's exposure ends and the next begins is certain to
/// be in a known frame.
public struct FramePacing: Hashable, Sendable {
  /// When some frame's exposure began, in `CLOCK_MONOTONIC` nanoseconds.
  public var start: UInt64
  /// Nanoseconds from one frame's start to the next.
  public var interval: UInt64

  /// The longest time that a call waits, in nanoseconds.
  public static let longestWait: UInt64 = 2_000_000
  /// No control is set within this many nanoseconds before the boundary of two frames.
  static let before: UInt64 = 1_000_000
  /// No control is set within this many nanoseconds after the boundary of two frames.
  static let after: UInt64 = 400_000

  public init(start: UInt64, interval: UInt64) {
    self.start = start
    self.interval = interval
  }

  /// How many nanoseconds to wait from `now` before a control is set; 0 where no boundary is near, or where frames follow too closely.
  public func wait(at now: UInt64) -> UInt64 {
    guard interval >= 4 * (Self.before + Self.after), now >= start else { return 0 }
    let phase = (now - start) % interval
    if phase < Self.after { return Self.after - phase }
    let left = interval - phase
    return left < Self.before ? min(left + Self.after, Self.longestWait) : 0
  }
}
