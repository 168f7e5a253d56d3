import CCaptureShims
import Glibc
import Synchronization

/// Converts times of `CLOCK_MONOTONIC` to the time of day.
public final class UTCClock: Sendable {
  public struct Reading: Hashable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var nanoseconds: Int64
    /// The largest error of the machine's clock, in nanoseconds, as the kernel reports it; 0 if the clock is not synchronised, since its error is
    /// unknown then.
    public var uncertainty: UInt64
    /// Whether the kernel says that its clock is synchronised.
    public var isSynchronised: Bool

    package init(nanoseconds: Int64, uncertainty: UInt64, isSynchronised: Bool) {
      (self.nanoseconds, self.uncertainty) = (nanoseconds, uncertainty)
      self.isSynchronised = isSynchronised
    }
  }

  private struct Quality {
    var asked: UInt64
    var uncertainty: UInt64
    var isSynchronised: Bool
  }
  private let quality = Mutex<Quality?>(nil)
  private let adjust: @Sendable (UnsafeMutablePointer<timex>) -> Int32

  public convenience init() { self.init { adjtimex($0) } }

  /// `adjust`: adjtimex(2). A kernel or a service manager may refuse that call; then the clock counts as not synchronised.
  init(adjust: @escaping @Sendable (UnsafeMutablePointer<timex>) -> Int32) { self.adjust = adjust }

  /// The time of day at `moment`, a time of `CLOCK_MONOTONIC` in nanoseconds. When the clock is set, the next reading has the new time. The kernel is
  /// asked for the clock's error once a second.
  public func reading(at moment: UInt64) -> Reading {
    var utc = timespec()
    let before = MonotonicClock.now()
    clock_gettime(CLOCK_REALTIME, &utc)
    let after = MonotonicClock.now()
    let now = before + (after - before) / 2
    let time = Int64(utc.tv_sec) * 1_000_000_000 + Int64(utc.tv_nsec)
    let quality = quality(at: now)
    return Reading(
      nanoseconds: time &+ Int64(bitPattern: moment &- now), uncertainty: quality.uncertainty,
      isSynchronised: quality.isSynchronised)
  }

  private func quality(at now: UInt64) -> Quality {
    quality.withLock { known in
      // `now` can be before `asked`: a thread that read the clock later may have asked first.
      if let known, now < known.asked || now - known.asked < 1_000_000_000 { return known }
      var state = timex()
      let answer = adjust(&state)
      let isSynchronised = answer >= 0 && answer != TIME_ERROR && state.status & STA_UNSYNC == 0
      let found = Quality(
        asked: now, uncertainty: isSynchronised ? UInt64(max(state.maxerror, 0)) * 1000 : 0,
        isSynchronised: isSynchronised)
      known = found
      return found
    }
  }
}
