/// Measures the rate of the latest frames.
struct RateMeter {
  private var times = [UInt64](repeating: 0, count: 64)
  private var count = 0

  /// Notes that a frame came at the time `now`, in `CLOCK_MONOTONIC` nanoseconds.
  mutating func tick(_ now: UInt64) {
    times[count % times.count] = now
    count += 1
  }

  /// The rate of the latest frames, at most 64 and at most 3 s old, in frames a second; 0 when there are none.
  func rate(_ now: UInt64) -> Double {
    let recent = (0..<min(count, times.count)).lazy.map { times[(count - 1 - $0) % times.count] }
      .prefix { $0 + 3_000_000_000 > now }
    let number = recent.count
    guard number > 1, let first = recent.first else { return 0 }
    let oldest = times[(count - number) % times.count]
    return Double(number - 1) * 1e9 / Double(max(first - oldest, 1))
  }
}
