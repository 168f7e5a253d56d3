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
      calibrated: description.isCalibrated, frameDuration: description.frameDuration.map { ValueRange($0) },
      recentFrames: description.recentFrames.map { RecentFrames($0) })
  }
}

extension ValueRange {
  init(_ range: CaptureModel.SettingsDescription.ValueRange) {
    self.init(
      minimum: range.minimum, maximum: range.maximum, step: range.step, defaultValue: range.defaultValue,
      items: range.items)
  }

  var model: CaptureModel.SettingsDescription.ValueRange {
    .init(minimum: minimum, maximum: maximum, step: step, defaultValue: defaultValue, items: items)
  }
}

extension FocusDescription {
  init(_ focus: CaptureModel.SettingsDescription.Focus) {
    self.init(
      modes: focus.modes.map { FocusMode($0) }, softwareModes: focus.softwareModes.map { FocusMode($0) },
      pointOfInterest: focus.hasPointOfInterest, ranges: focus.ranges.map { FocusRange($0) })
    focus.numbers.write(FocusSettings.fields, into: &self)
  }

  fileprivate var model: CaptureModel.SettingsDescription.Focus {
    var focus = CaptureModel.SettingsDescription.Focus(modes: modes.compactMap(\.known))
    focus.softwareModes = softwareModes.compactMap(\.known)
    focus.hasPointOfInterest = pointOfInterest
    focus.ranges = ranges.compactMap(\.known)
    focus.numbers.read(FocusSettings.fields, of: self)
    return focus
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

  fileprivate var model: CaptureModel.SettingsDescription.Exposure {
    var exposure = CaptureModel.SettingsDescription.Exposure(modes: modes.compactMap(\.known))
    exposure.softwareModes = softwareModes.compactMap(\.known)
    exposure.hasPointOfInterest = pointOfInterest
    exposure.numbers.read(ExposureSettings.fields, of: self)
    exposure.bias = bias?.model
    return exposure
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

  fileprivate var model: CaptureModel.SettingsDescription.WhiteBalance {
    var balance = CaptureModel.SettingsDescription.WhiteBalance(modes: modes.compactMap(\.known))
    balance.softwareModes = softwareModes.compactMap(\.known)
    balance.numbers.read(WhiteBalanceSettings.fields, of: self)
    balance.gains = gains?.model
    if let redBalance, let blueBalance {
      balance.balances = .init(red: redBalance.model, blue: blueBalance.model)
    }
    balance.hasGreyWorld = greyWorld
    return balance
  }
}

extension LightDescription {
  init(_ light: CaptureModel.SettingsDescription.Light) {
    self.init(
      modes: light.modes.map { LightMode($0) }, level: light.hasLevel, source: light.source,
      softwareModes: light.softwareModes.map { LightMode($0) })
  }

  fileprivate var model: CaptureModel.SettingsDescription.Light {
    var light = CaptureModel.SettingsDescription.Light(
      modes: modes.compactMap(\.known), hasLevel: level, source: source)
    light.softwareModes = softwareModes.compactMap(\.known)
    return light
  }
}

extension ControlUse {
  init(_ use: CaptureModel.SettingsDescription.ControlUse) {
    self.init(
      setting: use.setting.name, control: use.name, controlID: use.control.rawValue,
      conversion: use.conversion, delayFrames: UInt32(clamping: use.delay.frames),
      delayProvenance: Provenance(use.delay.provenance))
  }

  fileprivate var model: CaptureModel.SettingsDescription.ControlUse? {
    guard let setting = Setting(name: setting) else { return nil }
    return .init(
      setting: setting, control: ControlID(rawValue: controlID), name: control, conversion: conversion,
      delay: .init(frames: Int(delayFrames), provenance: delayProvenance.model))
  }
}

extension SettingsDescription {
  /// The description that a node sent. Modes and settings that only newer nodes know are left out.
  package var model: CaptureModel.SettingsDescription {
    var description = CaptureModel.SettingsDescription()
    description.focus = focus?.model
    description.exposure = exposure?.model
    description.whiteBalance = whiteBalance?.model
    description.zoom = zoom?.model
    description.torch = torch?.model
    description.flash = flash?.model
    description.controls = controls.compactMap(\.model)
    description.frameDuration = frameDuration?.model
    description.recentFrames = recentFrames?.model
    return description
  }
}

extension ZoomDescription {
  fileprivate var model: CaptureModel.SettingsDescription.Zoom? {
    kind.known.map { .init(maximum: maximum, kind: $0, reason: reason.isEmpty ? nil : reason) }
  }
}
