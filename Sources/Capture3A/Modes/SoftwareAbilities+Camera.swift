import CaptureModel

extension SoftwareAbilities {
  /// What the node can do from pictures, beside a driver that can do `camera`. `kept`: the values that clients asked for before.
  init(beside camera: SettingsDescription, kept: Kept) {
    self.init()
    self.kept = kept
    if camera.focus?.lensPosition != nil {
      focusModes = [.auto, .continuous]
      hasFocusPoint = true
      focusRanges = FocusRange.allCases
    }
    if let exposure = camera.exposure, exposure.duration != nil || exposure.gain != nil {
      exposureModes = [.auto, .continuous]
      hasExposurePoint = true
      bias =
        exposure.bias
        ?? SettingsDescription.ValueRange(minimum: -Self.mostBias, maximum: Self.mostBias, defaultValue: 0)
    }
    if let balance = camera.whiteBalance, balance.balances != nil || balance.temperature != nil {
      whiteBalanceModes = [.auto, .continuous]
      hasGreyWorld = true
    }
    if let torch = camera.torch, torch.modes.contains(.on) { torchModes = [.auto] }
  }

  /// EV.
  private static let mostBias = 4.0
}
