/// Thins frames to a rate, by their times: on average exactly that rate, each frame the nearest to its turn.
struct RateGate {
  private let interval: UInt64
  private var next: UInt64?

  /// `nil` lets everything through.
  init(rate: Double?) { interval = rate.map { UInt64(min(1e9 / $0, Self.longest)) } ?? 0 }

  /// Nanoseconds; far below what arithmetic on times could overflow at.
  private static let longest = 1e13

  /// Whether a frame of this time, nanoseconds, has its turn.
  func isDue(_ time: UInt64) -> Bool {
    guard interval > 0, let next else { return true }
    if time + 2 * interval < next { return true }  // The clock went back.
    return time + interval / 4 >= next
  }

  /// A frame of this time was taken.
  mutating func take(_ time: UInt64) {
    guard interval > 0 else { return }
    let due = (next ?? time) + interval
    let isNear = due + interval > time && due <= time + 2 * interval
    next = isNear ? due : time + interval
  }
}
