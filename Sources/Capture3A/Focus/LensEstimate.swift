import CaptureModel

/// Where a lens is that needs time to get where it was told to be.
struct LensEstimate: Sendable {
  /// `nil`: nowhere known.
  private(set) var position: Double?
  /// Has got where it was told.
  private(set) var hasArrived = false

  /// A frame came; the lens had been told to be at `target`.
  mutating func frame(target: Double, speed: Double) {
    guard let position else {
      // Nothing is known of its way here; it is taken to be at rest.
      self.position = target
      hasArrived = true
      return
    }
    let next = position + (target - position).clamped(to: -speed...speed)
    self.position = next
    hasArrived = next == target
  }
}
