import CaptureSystem
import Glibc

extension Moment {
  /// What a frame with that number shows, taken at `timestamp` on the monotonic clock: the local time of day.
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

  /// The time of the balloon's way there and back.
  private static let journeyNanoseconds: UInt64 = 24_000_000_000
}
