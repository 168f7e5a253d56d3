/// A thin lens that moves. Its position is 0 at the far end of its travel, 1 at the near end.
///
/// The position that has a thing in focus is linear in the reciprocal of the thing's distance: it is 0.1 for infinity and 0.9 for 0.18 m. The thing's
/// circle of confusion has a radius of ``blurPerTravel`` times the distance between that position and the lens.
package enum LensOptics {
  /// The radius of the circle of confusion when the lens is a whole travel out of focus, in heights of the unzoomed picture: 40 pixels at 640x480.
  package static let blurPerTravel = 40.0 / 480

  /// The position that has things at `distance` (metres) in focus.
  package static func position(inFocusAt distance: Double) -> Double { 0.1 + 0.8 * 0.18 / distance }

  /// The radius of the circle of confusion, in heights of the unzoomed picture.
  package static func blur(at distance: Double, lens: Double) -> Double {
    abs(lens - position(inFocusAt: distance)) * blurPerTravel
  }
}
