import CaptureImaging

/// The effect of the controls on the picture.
struct Tone: Hashable {
  /// -128…127, which is added to each value.
  var brightness = 0
  /// In 128ths: 128 changes nothing, and 0 gives grey.
  var contrast = 128
  /// 0…255: the light is multiplied by 1 + gain / 64.
  var gain = 0
  /// In 100 µs; `nil`: the camera chooses, and takes ``rightExposure``.
  var exposure: Int?

  /// The right exposure for the scene, in 100 µs.
  static let rightExposure = 166

  /// The curve for the values of a picture; `nil`: the tone changes nothing.
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
