import CaptureModel

/// Estimates where a lens is that needs time to reach its target.
struct LensEstimate: Sendable {
  /// The position in the middle of the last frame's exposure; `nil`: unknown.
  private(set) var position: Double?
  /// Whether the lens had reached its target by then.
  private(set) var hasArrived = false
  /// The position at the end of the frame.
  private var end = 0.0

  /// The part of a frame that has passed in the middle of its exposure, for frames whose exposure is unknown.
  static let middle = 0.3

  /// Takes a frame; the lens had been sent to `target`. `speed`: travels a frame.
  mutating func frame(target: Double, speed: Double, middle: Double = Self.middle) {
    // Nothing is known of the time before the first frame; the lens is assumed to be at rest.
    if position == nil { end = target }
    let way = target - end
    let reach = speed * middle
    let then = abs(way) <= reach ? target : end + way.clamped(to: -reach...reach)
    position = then
    hasArrived = then == target
    end = abs(way) <= speed ? target : end + way.clamped(to: -speed...speed)
  }
}
