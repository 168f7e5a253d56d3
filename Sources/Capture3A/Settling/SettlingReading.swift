import CaptureModel

/// The measures of a picture that move while automatic exposure, focus and white balance look for something.
package struct SettlingReading: Hashable, Sendable {
  /// The brightness as the node's own exposure meters it.
  package var brightness: Double
  package var sharpness: Double
  /// The shares of red and blue in the light, 0…1.
  package var red: Double
  package var blue: Double
  /// Whether the picture is black or white all over, as pictures are before exposure begins.
  package var isBlank: Bool

  package init(
    brightness: Double, sharpness: Double = 0, red: Double = 0, blue: Double = 0, isBlank: Bool = false
  ) {
    (self.brightness, self.sharpness) = (brightness, sharpness)
    (self.red, self.blue, self.isBlank) = (red, blue, isBlank)
  }

  package init(_ frame: FrameStatistics) {
    let mean = frame.mean
    let light = max(mean.color.red + mean.color.green + mean.color.blue, .leastNormalMagnitude)
    self.init(
      brightness: ExposureMeter().reading(of: frame).luminance, sharpness: mean.contrast,
      red: mean.color.red / light, blue: mean.color.blue / light,
      isBlank: max(mean.black, mean.white) > Self.blank)
  }

  /// A picture is blank if more than this part of it, 0 to 1, is black, or is white.
  private static let blank = 0.95
}

extension [SettlingReading] {
  /// Returns whether the pictures are steady: of each automatic mode that is judged by pictures, the measures have changed by less than 2 %.
  package func areSteady(_ automatic: Settling.Automatic) -> Bool {
    if automatic.exposure == .pictures, contains(where: \.isBlank) || !isSteady(\.brightness) { return false }
    if automatic.focus == .pictures, !isSteady(\.sharpness) { return false }
    return automatic.whiteBalance != .pictures || isSteady(\.red) && isSteady(\.blue)
  }

  private func isSteady(_ value: (SettlingReading) -> Double) -> Bool {
    let values = map(value)
    guard let least = values.min(), let most = values.max() else { return false }
    return most - least < Self.tolerance * most || most == 0
  }

  private static var tolerance: Double { 0.02 }
}
