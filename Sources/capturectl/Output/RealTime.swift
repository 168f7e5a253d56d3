import CaptureSystem
import Glibc

/// `CLOCK_REALTIME`, the time of wall clocks.
enum RealTime {
  static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Converts a time of this machine's `CLOCK_MONOTONIC` to `CLOCK_REALTIME`, both in nanoseconds.
  static func nanoseconds(monotonic: UInt64) -> Int64 {
    let age = Int64(bitPattern: MonotonicClock.now() &- monotonic)
    return Int64(bitPattern: nanoseconds()) &- age
  }

  /// Converts a time of this machine's `CLOCK_MONOTONIC`, in nanoseconds, to whole seconds of `CLOCK_REALTIME`.
  static func seconds(monotonic: UInt64) -> time_t {
    time_t(nanoseconds(monotonic: monotonic) / 1_000_000_000)
  }

  /// Reads "2026-12-31T23:59:59.5Z" or "2026-12-31T23:59:59+01:00" (RFC 3339), in nanoseconds since 1970; `nil`: it is no such time.
  static func nanoseconds(rfc3339 text: String) -> Int64? {
    // "2026-12-31T23:59:59" has 19 characters.
    let fields = text.prefix(19).split(omittingEmptySubsequences: false) { "-T:".contains($0) }
    let separators = text.prefix(19).filter { "-T:".contains($0) }
    guard separators == "--T::", fields.map(\.count) == [4, 2, 2, 2, 2, 2],
      fields.joined().allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    let numbers = fields.compactMap { Int32($0) }
    guard (1...12).contains(numbers[1]), numbers[3] < 24, numbers[4] < 60, numbers[5] < 61 else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[3], numbers[4], numbers[5])
    var tail = text.dropFirst(19)
    var fraction: Int64 = 0
    if tail.first == "." {
      let digits = tail.dropFirst().prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty else { return nil }
      let nine = digits.prefix(9)
      fraction = Int64(nine + String(repeating: "0", count: 9 - nine.count)) ?? 0
      tail = tail.dropFirst(1 + digits.count)
    }
    guard let offset = seconds(ofZone: tail) else { return nil }
    let total = Int64(timegm(&time)) - offset
    // `timegm` turns a day that the month does not have into one of the next month. Such a time is refused.
    guard time.tm_mday == numbers[2], time.tm_mon == numbers[1] - 1, abs(total) < 9_000_000_000 else {
      return nil
    }
    return total * 1_000_000_000 + fraction
  }

  /// "Z", "+01:00"
  private static func seconds(ofZone text: Substring) -> Int64? {
    if text == "Z" || text == "z" { return 0 }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hours = Int64(parts[0]),
      let minutes = Int64(parts[1]), (0..<24).contains(hours), (0..<60).contains(minutes)
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// "14:03:07.123", the local time for a time of this machine's `CLOCK_MONOTONIC` in nanoseconds.
  static func ofDay(monotonic: UInt64) -> String {
    let milliseconds = nanoseconds(monotonic: monotonic) / 1_000_000
    let time = TimedName.local(time_t(milliseconds / 1000))
    func text(_ number: Int64, _ digits: Int) -> String {
      String(repeating: "0", count: max(0, digits - "\(number)".count)) + "\(number)"
    }
    return [time.tm_hour, time.tm_min, time.tm_sec].map { text(Int64($0), 2) }.joined(separator: ":") + "."
      + text(milliseconds % 1000, 3)
  }
}
