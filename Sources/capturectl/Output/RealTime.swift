import CaptureSystem
import Glibc

/// `CLOCK_REALTIME`, the time of wall clocks.
enum RealTime {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// "14:03:07.123", the local time for a time of this machine's `CLOCK_MONOTONIC` in nanoseconds.
  static func ofDay(monotonic: UInt64) -> String {
    let age = Int64(bitPattern: MonotonicClock.now() &- monotonic)
    let milliseconds = (Int64(bitPattern: nanoseconds()) &- age) / 1_000_000
    let time = TimedName.local(time_t(milliseconds / 1000))
    func text(_ number: Int64, _ digits: Int) -> String {
      String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }
    return [time.tm_hour, time.tm_min, time.tm_sec].map { text(Int64($0), 2) }.joined(separator: ":") + "."
      + text(milliseconds % 1000, 3)
  }
}
