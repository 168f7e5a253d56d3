import CaptureImaging

/// What the controls do to the picture.
struct Tone: Hashable {
  /// -128…127, added.
  var brightness = 0
  /// Of 128: 128 leaves it, 0 is grey.
  var contrast = 128
  /// Adds the light once more every 64.
  var gain = 0
  /// In 100 µs; `nil`: the camera's choice, which is right.
  var exposure: Int?

  /// The exposure that suits the scene, in 100 µs.
  static let rightExposure = 166

  /// `nil`: nothing changes.
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
