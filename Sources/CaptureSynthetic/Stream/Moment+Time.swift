import CaptureSystem
import Glibc

extension Moment {
  /// The moment that frame `sequence` shows: the local time of day at `timestamp`, which is in `CLOCK_MONOTONIC` nanoseconds.
  init(sequence: UInt64, timestamp: UInt64) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let wall = Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    let age = (Int64(MonotonicClock.now()) - Int64(timestamp)) / 1_000_000
    let milliseconds = wall - age
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let fraction = Int(milliseconds % 1000)
    self.init(
      clock: [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { digits($0, 2) }.joined(
        separator: ":")
        + "." + digits(fraction, 3),
      label: "FRAME " + digits(Int(sequence % 10_000_000_000), 10),
      journey: Double(timestamp % Self.journeyNanoseconds) / Double(Self.journeyNanoseconds),
      turn: Double(fraction) / 1000)
  }

  /// How long the balloon takes to move there and back.
  private static let journeyNanoseconds: UInt64 = 24_000_000_000
}
