/// A thin lens that moves. Its position is 0 at the far end of its travel, 1 at the near end.
///
/// The position in focus is linear in the reciprocal of the distance: infinity is at 0.1, and 0.18 m at 0.9. The circle of confusion of another thing
/// has a radius of ``blurPerTravel`` times the distance between the lens and the position that has that thing in focus.
package enum LensOptics {
  /// The radius of the circle of confusion for a whole travel, in heights of the unzoomed picture: 40 pixels at 640x480.
  package static let blurPerTravel = 40.0 / 480

  /// The position that has things at `distance` (metres) in focus.
  package static func position(inFocusAt distance: Double) -> Double { 0.1 + 0.8 * 0.18 / distance }

  /// The radius of the circle of confusion, in heights of the unzoomed picture.
  package static func blur(at distance: Double, lens: Double) -> Double {
    abs(lens - position(inFocusAt: distance)) * blurPerTravel
  }
}
