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
  /// Both clocks, read one after the other.
  struct Instants: Sendable {
    /// `CLOCK_MONOTONIC` in nanoseconds.
    var before: UInt64
    /// `CLOCK_REALTIME` in nanoseconds.
    var utc: Int64
    /// `CLOCK_MONOTONIC` in nanoseconds, once more.
    var after: UInt64

    var width: UInt64 { after - before }

    static func read() -> Instants {
      var utc = timespec()
      let before = MonotonicClock.now()
      clock_gettime(CLOCK_REALTIME, &utc)
      let after = MonotonicClock.now()
      return Instants(
        before: before, utc: Int64(utc.tv_sec) * 1_000_000_000 + Int64(utc.tv_nsec), after: after)
    }
  }
  private let quality = Mutex<Quality?>(nil)
  private let adjust: @Sendable (UnsafeMutablePointer<timex>) -> Int32
  private let clocks: @Sendable () -> Instants

  public convenience init() { self.init { adjtimex($0) } }

  /// `adjust`: adjtimex(2). A kernel or a service manager may refuse that call; then the clock counts as not synchronised.
  init(
    adjust: @escaping @Sendable (UnsafeMutablePointer<timex>) -> Int32,
    clocks: @escaping @Sendable () -> Instants = { Instants.read() }
  ) { (self.adjust, self.clocks) = (adjust, clocks) }

  /// The time of day at `moment`, a time of `CLOCK_MONOTONIC` in nanoseconds. When the clock is set, the next reading has the new time. The kernel is
  /// asked for the clock's error once a second.
  public func reading(at moment: UInt64) -> Reading {
    let both = instants()
    let now = both.before + both.width / 2
    let quality = quality(at: now)
    return Reading(
      nanoseconds: both.utc &+ Int64(bitPattern: moment &- now), uncertainty: quality.uncertainty,
      isSynchronised: quality.isSynchronised)
  }

  /// Reads the clocks; again, if this thread was interrupted between them.
  private func instants() -> Instants {
    var best = clocks()
    for _ in 1..<Self.mostReadings where best.width > Self.usualWidth {
      let next = clocks()
      if next.width < best.width { best = next }
    }
    return best
  }

  private static let mostReadings = 4
  /// So many nanoseconds are more than a thread takes that is not interrupted.
  private static let usualWidth: UInt64 = 10_000

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
