/// A thin lens that moves. Its position is 0 at the far end of its travel, 1 at the near end.
///
/// What is in focus is linear in the reciprocal of the distance: infinity at 0.1, 0.18 m at 0.9. The circle of confusion of
/// something else has a radius of ``blurPerTravel`` times the distance between the lens and the position that suits that thing.
package enum LensOptics {
  /// Of the circle of confusion, in heights of the unzoomed picture, for a whole travel: 40 pixels at 640x480.
  package static let blurPerTravel = 40.0 / 480

  /// The position that has things at `distance` (metres) in focus.
  package static func position(inFocusAt distance: Double) -> Double { 0.1 + 0.8 * 0.18 / distance }

  /// Radius of the circle of confusion, in heights of the unzoomed picture.
  package static func blur(at distance: Double, lens: Double) -> Double {
    abs(lens - position(inFocusAt: distance)) * blurPerTravel
  }
}
