/// Thins frames to a rate, by their times: on average exactly to that rate, each frame the nearest to its turn.
struct RateFilter {
  private let interval: UInt64
  private var next: UInt64?

  /// `nil` lets every frame through.
  init(rate: Double?) { interval = rate.map { UInt64(min(1e9 / $0, Self.longest)) } ?? 0 }

  /// In nanoseconds; far below values at which arithmetic on times could overflow.
  private static let longest = 1e13

  /// Whether a frame with this time, in nanoseconds, has its turn.
  func isDue(_ time: UInt64) -> Bool {
    guard interval > 0, let next else { return true }
    if time + 2 * interval < next { return true }  // The clock went back.
    return time + interval / 4 >= next
  }

  /// Tells that a frame with this time was taken.
  mutating func noteTaken(_ time: UInt64) {
    guard interval > 0 else { return }
    let due = (next ?? time) + interval
    let isNear = due + interval > time && due <= time + 2 * interval
    next = isNear ? due : time + interval
  }
}
