public import CaptureModel

extension SettingsDescription {
  public init(device: String, _ description: CaptureModel.SettingsDescription) {
    self.init(
      device: device, focus: description.focus.map { FocusDescription($0) },
      exposure: description.exposure.map { ExposureDescription($0) },
      whiteBalance: description.whiteBalance.map { WhiteBalanceDescription($0) },
      zoom: description.zoom.map {
        ZoomDescription(maximum: $0.maximum, kind: ZoomKind($0.kind), reason: $0.reason ?? "")
      },
      torch: description.torch.map { LightDescription($0) },
      flash: description.flash.map { LightDescription($0) },
      controls: description.controls.map { ControlUse($0) },
      calibrated: description.isCalibrated, frameDuration: description.frameDuration.map { ValueRange($0) })
  }
}

extension ValueRange {
  init(_ range: CaptureModel.SettingsDescription.ValueRange) {
    self.init(
      minimum: range.minimum, maximum: range.maximum, step: range.step, defaultValue: range.defaultValue,
      items: range.items)
  }
}

extension FocusDescription {
  init(_ focus: CaptureModel.SettingsDescription.Focus) {
    self.init(
      modes: focus.modes.map { FocusMode($0) }, softwareModes: focus.softwareModes.map { FocusMode($0) },
      pointOfInterest: focus.hasPointOfInterest, ranges: focus.ranges.map { FocusRange($0) })
    focus.numbers.write(FocusSettings.fields, into: &self)
  }
}

extension ExposureDescription {
  init(_ exposure: CaptureModel.SettingsDescription.Exposure) {
    self.init(
      modes: exposure.modes.map { ExposureMode($0) },
      softwareModes: exposure.softwareModes.map { ExposureMode($0) },
      bias: exposure.bias.map { ValueRange($0) }, pointOfInterest: exposure.hasPointOfInterest)
    exposure.numbers.write(ExposureSettings.fields, into: &self)
  }
}

extension WhiteBalanceDescription {
  init(_ balance: CaptureModel.SettingsDescription.WhiteBalance) {
    self.init(
      modes: balance.modes.map { WhiteBalanceMode($0) },
      softwareModes: balance.softwareModes.map { WhiteBalanceMode($0) },
      gains: balance.gains.map { ValueRange($0) }, greyWorld: balance.hasGreyWorld,
      redBalance: balance.balances.map { ValueRange($0.red) },
      blueBalance: balance.balances.map { ValueRange($0.blue) })
    balance.numbers.write(WhiteBalanceSettings.fields, into: &self)
  }
}

extension LightDescription {
  init(_ light: CaptureModel.SettingsDescription.Light) {
    self.init(
      modes: light.modes.map { LightMode($0) }, level: light.hasLevel, source: light.source,
      softwareModes: light.softwareModes.map { LightMode($0) })
  }
}

extension ControlUse {
  init(_ use: CaptureModel.SettingsDescription.ControlUse) {
    self.init(
      setting: use.setting.rawValue, control: use.name, controlID: use.control.rawValue,
      conversion: use.conversion, delayFrames: UInt32(clamping: use.delay.frames),
      delayProvenance: Provenance(use.delay.provenance))
  }
}
