import CaptureModel

extension SettingsMap {
  /// The settings that the camera has through its driver.
  public func description(delays: ControlDelays) -> SettingsDescription {
    var description = SettingsDescription()
    if !focusModes.isEmpty {
      var focus = SettingsDescription.Focus(modes: FocusMode.allCases.filter { has($0, focusModes) })
      focus.numbers = settable(.focus)
      if !focusRanges.isEmpty { focus.ranges = FocusRange.allCases.filter { has($0, focusRanges) } }
      description.focus = focus
    }
    if !exposureModes.isEmpty || hasNumbers(.exposure) {
      var exposure = SettingsDescription.Exposure(
        modes: ExposureMode.allCases.filter { has($0, exposureModes) })
      exposure.numbers = settable(.exposure)
      description.exposure = exposure
    }
    description.whiteBalance = whiteBalance
    if let zoom = settable(.zoomFactor) {
      description.zoom = SettingsDescription.Zoom(maximum: zoom.maximum, kind: .hardware)
    }
    description.torch = light(torchModes, .torchLevel)
    description.flash = light(flashModes, .flashLevel)
    description.controls = uses(delays)
    return description
  }

  private var whiteBalance: SettingsDescription.WhiteBalance? {
    guard !whiteBalanceModes.isEmpty || hasNumbers(.whiteBalance) || gains != nil else { return nil }
    var description = SettingsDescription.WhiteBalance(
      modes: WhiteBalanceMode.allCases.filter { has($0, whiteBalanceModes) })
    description.numbers = settable(.whiteBalance)
    guard let balances else { return description }
    description.gains = balances.eachGain
    description.balances = balances
    description.tint = balances.tints.map { SettingsDescription.ValueRange($0, default: 0) }
    if description.temperature == nil {
      description.temperature = balances.temperatures(tint: 0, near: Self.daylight).map {
        SettingsDescription.ValueRange($0, default: Self.daylight)
      }
    }
    return description
  }

  /// Kelvin.
  private static let daylight = 6500.0

  /// The gains that can be set; `nil`: none can.
  var balances: SettingsDescription.Balances? {
    guard let gains, !gains.red.isReadOnly, !gains.blue.isReadOnly else { return nil }
    return SettingsDescription.Balances(red: gains.red.range, blue: gains.blue.range)
  }

  private func has<Name>(_ mode: Name, _ modes: [ControlMapping.Mode<Name>]) -> Bool {
    modes.contains { $0.mode == mode }
  }

  /// Whether a control has a number of a group.
  func hasNumbers(_ group: SettingGroup) -> Bool {
    ControlMapping.settings(of: group).contains { values[$0] != nil }
  }

  /// The ranges of those numbers of a group that can be set.
  private func settable(_ group: SettingGroup) -> SettingKeyed<SettingsDescription.ValueRange> {
    var ranges = SettingKeyed<SettingsDescription.ValueRange>()
    for setting in ControlMapping.settings(of: group) { ranges[setting] = settable(setting) }
    return ranges
  }

  /// The range of a setting's value; `nil`: it cannot be set.
  func settable(_ setting: Setting) -> SettingsDescription.ValueRange? {
    values[setting].flatMap { $0.isReadOnly ? nil : $0.range }
  }

  private func light(_ modes: [ControlMapping.Mode<LightMode>], _ level: Setting)
    -> SettingsDescription.Light?
  {
    guard has(.on, modes) else { return nil }
    return SettingsDescription.Light(
      modes: [.off, .on], hasLevel: settable(level) != nil, source: "V4L2 flash controls")
  }

  private func uses(_ delays: ControlDelays) -> [SettingsDescription.ControlUse] {
    var uses: [SettingsDescription.ControlUse] = []
    func add(_ setting: Setting, _ control: ControlDescription, _ conversion: String) {
      guard !uses.contains(where: { $0.setting == setting && $0.control == control.id }) else { return }
      uses.append(
        SettingsDescription.ControlUse(
          setting: setting, control: control.id, name: control.name, conversion: conversion,
          delay: delays[control.id]))
    }
    func add<Name>(_ setting: Setting, _ modes: [ControlMapping.Mode<Name>]) {
      for mode in modes {
        for (_, control) in mode.existing { add(setting, control, "mode") }
        if let button = mode.button.flatMap({ controls[$0] }) { add(setting, button, "button") }
      }
    }
    add(.focusMode, focusModes)
    add(.focusRange, focusRanges)
    add(.exposureMode, exposureModes)
    add(.whiteBalanceMode, whiteBalanceModes)
    add(.torchMode, torchModes)
    add(.flashMode, flashModes)
    for gain in [gains?.red, gains?.blue] {
      if let gain { add(.whiteBalanceGains, gain.control, gain.conversion.text(gain.control)) }
    }
    for setting in Setting.allCases {
      if let mapped = values[setting] {
        add(setting, mapped.control, mapped.conversion.text(mapped.control))
      }
    }
    return uses
  }
}

extension SettingsDescription.ValueRange {
  /// Every value in the range is possible. The default is `value`, or the nearest to it in the range.
  fileprivate init(_ range: ClosedRange<Double>, default value: Double) {
    self.init(
      minimum: range.lowerBound, maximum: range.upperBound, defaultValue: value.clamped(to: range))
  }
}
