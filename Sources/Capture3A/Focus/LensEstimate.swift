import CaptureModel

/// Where a lens is that needs time to get where it was told to be.
struct LensEstimate: Sendable {
  /// In the middle of the last frame's exposure; `nil`: nowhere known.
  private(set) var position: Double?
  /// Was where it was told to be already then.
  private(set) var hasArrived = false
  /// At the end of the frame.
  private var end = 0.0

  /// The part of a frame that has passed in the middle of its exposure, where that is not known.
  static let middle = 0.3

  /// A frame came; the lens had been told to be at `target`. `speed`: travels a frame.
  mutating func frame(target: Double, speed: Double, middle: Double = Self.middle) {
    // Of what was before the first frame nothing is known; the lens is taken to be at rest.
    if position == nil { end = target }
    let way = target - end
    let reach = speed * middle
    let then = abs(way) <= reach ? target : end + way.clamped(to: -reach...reach)
    position = then
    hasArrived = then == target
    end = abs(way) <= speed ? target : end + way.clamped(to: -speed...speed)
  }
}
