/// Thins frames to a rate by their times: on average exactly to that rate. Each turn goes to the first frame that is at most a quarter of an interval
/// too early.
struct RateFilter {
  private let interval: UInt64
  private var next: UInt64?

  /// `rate`: frames a second; `nil` lets every frame through.
  init(rate: Double?) { interval = rate.map { UInt64(min(1e9 / $0, Self.longest)) } ?? 0 }

  /// The longest interval, in nanoseconds. It is far below values at which arithmetic on times could overflow.
  private static let longest = 1e13

  /// Whether a frame with this time, in nanoseconds, has its turn.
  func isDue(_ time: UInt64) -> Bool {
    guard interval > 0, let next else { return true }
    if time + 2 * interval < next { return true }  // The clock went back.
    return time + interval / 4 >= next
  }

  /// Notes that a frame with this time was taken.
  mutating func noteTaken(_ time: UInt64) {
    guard interval > 0 else { return }
    let due = (next ?? time) + interval
    let isNear = due + interval > time && due <= time + 2 * interval
    next = isNear ? due : time + interval
  }
}
