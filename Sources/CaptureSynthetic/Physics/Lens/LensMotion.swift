/// A lens that moves at a steady speed to the position to which it was sent.
struct LensMotion {
  private(set) var target: Double
  private var origin: Double
  /// The time of departure, in `CLOCK_MONOTONIC` nanoseconds.
  private var departure: UInt64 = 0
  /// The speed in whole travels a second.
  let speed: Double

  init(at position: Double, speed: Double) {
    (target, origin) = (position, position)
    self.speed = speed
  }

  func position(at time: UInt64) -> Double {
    guard speed.isFinite, time >= departure else { return speed.isFinite ? origin : target }
    let reach = speed * Double(time - departure) * 1e-9
    return origin + max(-reach, min(reach, target - origin))
  }

  mutating func move(to target: Double, at time: UInt64) {
    origin = position(at: time)
    departure = time
    self.target = target
  }
}
