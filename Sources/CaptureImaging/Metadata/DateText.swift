import CaptureModel
import Glibc

/// A moment as EXIF and XMP write it.
struct DateText {
  /// Local time: "2026:01:31 18:05:09".
  let exif: String
  /// "123456"
  let microseconds: String
  /// The local time's distance from UTC: "+01:00".
  let offset: String
  /// UTC: "2026-01-31T17:05:09.123456789Z".
  let iso: String

  /// `offset`: local time less UTC, in seconds. EXIF writes it in whole minutes, so it is rounded to minutes, and the local time here is that of the
  /// rounded offset.
  init(_ time: UTCTime, offset: Int) {
    let minutes = Int((Double(offset) / 60).rounded())
    let (seconds, nanoseconds) = Self.parts(time.nanoseconds)
    let local = Self.civil(seconds + minutes * 60)
    let utc = Self.civil(seconds)
    exif = "\(local.date.joined(separator: ":")) \(local.time.joined(separator: ":"))"
    iso =
      "\(utc.date.joined(separator: "-"))T\(utc.time.joined(separator: ":")).\(padded(nanoseconds, 9))Z"
    microseconds = padded(nanoseconds / 1000, 6)
    let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
    self.offset = "\(minutes < 0 ? "-" : "+")\(padded(hours, 2)):\(padded(rest, 2))"
  }

  private static func parts(_ time: Int64) -> (seconds: Int, nanoseconds: Int) {
    let (quotient, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    return rest < 0 ? (Int(quotient) - 1, Int(rest) + 1_000_000_000) : (Int(quotient), Int(rest))
  }

  private static func civil(_ seconds: Int) -> (date: [String], time: [String]) {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    return (
      [
        padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1, 2), padded(Int(parts.tm_mday), 2),
      ],
      [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { padded($0, 2) }
    )
  }
}

private func padded(_ number: Int, _ digits: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
