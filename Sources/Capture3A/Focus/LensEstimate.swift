import CaptureModel

/// Estimates where a lens is that needs time to reach its target.
struct LensEstimate: Sendable {
  /// The position in the middle of the last frame's exposure; `nil`: unknown.
  private(set) var position: Double?
  /// Whether the lens had reached its target by then.
  private(set) var hasArrived = false
  /// The position at the end of the frame.
  private var end = 0.0

  /// When the middle of the exposure is, as a fraction of the frame's interval. For frames whose exposure is unknown.
  static let assumedMiddle = 0.3

  /// Follows the lens through one more frame, after it was sent to `target`. `speed`: how far it moves in a frame; 1 is from one end to the other.
  /// `middle`: when the middle of the frame's exposure is, as a fraction of its interval.
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
