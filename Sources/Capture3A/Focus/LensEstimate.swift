import CaptureModel

/// Estimates the position of a lens that needs time to reach its target.
struct LensEstimate: Sendable {
  /// The position in the middle of the last frame's exposure; `nil`: unknown.
  private(set) var position: Double?
  /// Whether the lens had reached its target by the middle of the last frame's exposure.
  private(set) var hasArrived = false
  /// The position at the end of the last frame's interval.
  private var end = 0.0

  /// The middle of the exposure, as a fraction of the frame's interval, for frames whose exposure is unknown.
  static let assumedMiddle = 0.3

  /// Follows the lens through one more frame, after it was sent to `target`. `speed`: how far the lens moves in a frame; 1 is from one end to the
  /// other. `middle`: the middle of the frame's exposure, as a fraction of its interval.
  mutating func follow(target: Double, speed: Double, middle: Double = Self.assumedMiddle) {
    // Nothing is known of the time before the first frame; the lens is assumed to be at rest.
    if position == nil { end = target }
    let distance = target - end
    let step = speed * middle
    let atMiddle = abs(distance) <= step ? target : end + distance.clamped(to: -step...step)
    position = atMiddle
    hasArrived = atMiddle == target
    end = abs(distance) <= speed ? target : end + distance.clamped(to: -speed...speed)
  }
}
