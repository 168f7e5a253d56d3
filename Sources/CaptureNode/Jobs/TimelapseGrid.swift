/// The ticks of a timelapse: start + k × interval. A photo that is late does not delay those after it.
///
/// Times are nanoseconds of one clock. The start is negative if the timelapse began before that clock.
struct TimelapseGrid: Hashable, Sendable {
  var start: Int64
  /// More than 0.
  var interval: Int64
  /// How many ticks there are; `nil`: they do not end.
  var count: UInt64?

  init(start: Int64, interval: Int64, count: UInt64? = nil) {
    precondition(interval > 0)
    (self.start, self.interval, self.count) = (start, interval, count)
  }

  /// What a timelapse does next.
  struct Next: Hashable, Sendable {
    /// `nil`: no tick is left.
    var tick: UInt64?
    /// How many ticks after the latest one can no longer be done.
    var missed: UInt64
  }

  /// The time of a tick.
  func time(of tick: UInt64) -> Int64 { start &+ Int64(tick) &* interval }

  /// The next tick after `latest`, the last one that was done, missed or failed; `nil`: there was none yet. A tick can still be done up to a tenth of
  /// the interval after its time; later it is missed.
  func next(after latest: UInt64?, now: Int64) -> Next {
    let due = latest.map { $0 + 1 } ?? 0
    let late = now - start - interval / 10
    let reachable = late <= 0 ? 0 : UInt64((late - 1) / interval + 1)
    let tick = max(due, reachable)
    if let count, tick >= count { return Next(tick: nil, missed: count > due ? count - due : 0) }
    return Next(tick: tick, missed: tick - due)
  }
}
