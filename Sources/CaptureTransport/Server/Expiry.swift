/// The end of a caller's right, and when to check whether it has come. The wall clock is checked each minute: it may be set at any time, and goes on
/// while the machine sleeps, and no timer notices that.
struct Expiry {
  /// In seconds of UTC since 1970.
  private let end: Int64
  /// When to check next, in nanoseconds of the monotonic clock.
  private(set) var due: UInt64
  /// The longest time between two checks, in seconds.
  static let longestPause: Int64 = 60

  /// `utc`, `now`: the present time of the wall clock and of the monotonic clock.
  init(at end: Int64, utc: Int64, now: UInt64) {
    self.end = end
    due = Self.due(end, utc, now)
  }

  /// Whether the end has come. If it has not, ``due`` says when to check again.
  mutating func hasCome(utc: Int64, now: UInt64) -> Bool {
    due = Self.due(end, utc, now)
    return end <= utc
  }

  private static func due(_ end: Int64, _ utc: Int64, _ now: UInt64) -> UInt64 {
    let pause = end <= utc ? 0 : end > utc + longestPause ? longestPause : end - utc
    return now + UInt64(pause) * 1_000_000_000
  }
}
