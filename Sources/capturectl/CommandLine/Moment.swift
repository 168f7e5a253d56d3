import CaptureOptions
import Glibc

/// A moment as a person writes it.
enum Moment {
  /// Nanoseconds since 1970 in UTC. Reads "2026-11-25", "2026-11-25T08:15:02", both in this machine's time, the same with "Z" or "+01:00", and
  /// "-3600", seconds before now.
  static func parse(_ text: String) -> Int64? {
    if text.hasPrefix("-") {
      guard let seconds = Double(text), seconds > -furthest else { return nil }
      return Int64(clamping: RealTime.nanoseconds()) + Int64(seconds * 1e9)
    }
    var text = text[...]
    var offset: Int?
    if text.hasSuffix("Z") {
      text = text.dropLast()
      offset = 0
    } else if text.count > 19, let sign = text.suffix(6).first, sign == "+" || sign == "-" {
      let parts = text.suffix(5).split(separator: ":")
      guard parts.count == 2, let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
      text = text.dropLast(6)
    }
    let whole = text.prefix { $0 != "." }
    let fraction = text.dropFirst(whole.count)
    guard fraction.isEmpty || whole.count == 19, let part = fraction.isEmpty ? 0 : Double("0" + fraction)
    else { return nil }
    guard var time = date(whole) else { return nil }
    let seconds = offset.map { timegm(&time) - $0 } ?? mktime(&time)
    guard abs(Double(seconds)) < furthest else { return nil }
    return Int64(seconds) * 1_000_000_000 + Int64(part * 1e9)
  }

  /// The largest distance of a moment from 1970, or before now, in seconds: the time from 1970 to the beginning of 2262. The library takes no later
  /// moments, since 64 bits do not hold all nanoseconds of 2262.
  private static let furthest = 9_214_646_400.0

  /// Reads "2026-11-25" and "2026-11-25T08:15:02".
  private static func date(_ text: some StringProtocol) -> tm? {
    let form = Array("0000-00-00T00:00:00".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count == 10 || bytes.count == form.count else { return nil }
    var numbers = [0]
    for (byte, sample) in zip(bytes, form) {
      if sample == UInt8(ascii: "0") {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
      } else {
        guard byte == sample else { return nil }
        numbers.append(0)
      }
    }
    numbers += Array(repeating: 0, count: 6 - numbers.count)
    guard numbers[0] >= 1970, 1...12 ~= numbers[1], 1...31 ~= numbers[2], numbers[3] < 24, numbers[4] < 60,
      numbers[5] <= 60
    else { return nil }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (
      Int32(numbers[0] - 1900), Int32(numbers[1] - 1), Int32(numbers[2])
    )
    (time.tm_hour, time.tm_min, time.tm_sec) = (Int32(numbers[3]), Int32(numbers[4]), Int32(numbers[5]))
    time.tm_isdst = -1
    return time
  }

  /// "2026-11-25 08:15:02" in this machine's time.
  static func text(_ nanoseconds: Int64) -> String {
    let time = TimedName.local(time_t(nanoseconds / 1_000_000_000))
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(time.tm_year + 1900)-\(two(time.tm_mon + 1))-\(two(time.tm_mday)) "
      + "\(two(time.tm_hour)):\(two(time.tm_min)):\(two(time.tm_sec))"
  }
}

extension ValueType where Value == Int64 {
  static let moment = ValueType(
    "TIME",
    expectation:
      "a time before 2262 like 2026-11-25, 2026-11-25T08:15:02, 2026-11-25T08:15:02Z, or -3600, seconds before now"
  ) { Moment.parse($0) }
}
