import CaptureImaging

/// The effect of the controls on the picture.
struct Tone: Hashable {
  /// -128…127; it is added.
  var brightness = 0
  /// In 128ths: 128 changes nothing, and 0 gives grey.
  var contrast = 128
  /// Each 64 adds the light once more.
  var gain = 0
  /// In 100 µs; `nil`: the camera chooses, and chooses right.
  var exposure: Int?

  /// The right exposure for the scene, in 100 µs.
  static let rightExposure = 166

  /// `nil`: it changes nothing.
  var curve: ToneCurve? {
    if brightness == 0, contrast == 128, gain == 0, exposure ?? Self.rightExposure == Self.rightExposure {
      return nil
    }
    let light = Double(exposure ?? Self.rightExposure) / Double(Self.rightExposure) * (1 + Double(gain) / 64)
    return ToneCurve { value in
      let lit = min(Double(value) * light, 255)
      return Int(((lit - 128) * Double(contrast) / 128 + 128).rounded()) + brightness
    }
  }
}
