import CaptureModel

extension SoftwareAbilities {
  /// The modes that the node adds to a driver whose settings are `camera`. `kept`: the values that clients asked for before.
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

  /// The largest bias of the node's own exposure, in EV.
  private static let mostBias = 4.0
}
