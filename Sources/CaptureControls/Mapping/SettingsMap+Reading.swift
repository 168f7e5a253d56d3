import CaptureModel

extension SettingsMap {
  /// What the controls' numbers do not show: which of several modes that look the same was asked for, and what set the colour last.
  public struct Asked: Hashable, Sendable {
    public var exposureMode: ExposureMode?
    /// Whether the gains were set after the temperature. Then the gains give the temperature and the tint of the light, and a control for the
    /// temperature still has its old value.
    public var gainsWereSetLast = false
    public init() {}
  }

  /// The settings that follow from the controls' numbers. `unread`: those of the numbers that were set and have not been read since.
  public func settings(_ numbers: Numbers, unread: Numbers = [:], asked: Asked = Asked()) -> CameraSettings {
    var settings = CameraSettings()
    if let mode = focusMode(numbers) {
      var focus = CameraSettings.Focus(mode: mode)
      focus.isAdjusting = isFocusing(numbers)
      focus.numbers = observed(
        .focus, numbers, unread, isAutomatic: mode == .continuous || focus.isAdjusting)
      focus.range = focusRanges.isEmpty ? FocusRange.none : self.mode(focusRanges, numbers)
      settings.focus = focus
    }
    if !exposureModes.isEmpty || hasNumbers(.exposure) {
      let mode = exposureMode(numbers, asked: asked.exposureMode) ?? .locked
      var exposure = CameraSettings.Exposure(mode: mode)
      exposure.numbers = observed(.exposure, numbers, unread, isAutomatic: mode == .continuous)
      exposure.bias = observed(.exposureBias, numbers, unread, isAutomatic: false)?.value ?? 0
      settings.exposure = exposure
    }
    settings.whiteBalance = whiteBalance(numbers, unread, asked)
    if let factor = observed(.zoomFactor, numbers, unread, isAutomatic: false) {
      settings.zoom = CameraSettings.Zoom(factor: factor, kind: .hardware)
    }
    settings.torch = light(torchModes, .torchLevel, numbers, unread)
    settings.flash = light(flashModes, .flashLevel, numbers, unread)
    for flip in flips {
      let value = observed(flip, numbers, unread, isAutomatic: false)
      if flip.setting == .horizontalFlip {
        settings.horizontalFlip = value
      } else {
        settings.verticalFlip = value
      }
    }
    return settings
  }

  private func whiteBalance(_ numbers: Numbers, _ unread: Numbers, _ asked: Asked)
    -> CameraSettings.WhiteBalance?
  {
    guard !whiteBalanceModes.isEmpty || hasNumbers(.whiteBalance) || gains != nil else { return nil }
    let mode = whiteBalanceMode(numbers) ?? .locked
    var whiteBalance = CameraSettings.WhiteBalance(mode: mode)
    whiteBalance.numbers = observed(.whiteBalance, numbers, unread, isAutomatic: mode == .continuous)
    if let gains, let red = numbers[gains.red.control.id], let blue = numbers[gains.blue.control.id],
      red > 0, blue > 0
    {
      let value = WhiteBalanceGains(
        red: Double(red) / Double(gains.red.control.defaultValue), green: 1,
        blue: Double(blue) / Double(gains.blue.control.defaultValue))
      let isReported =
        gains.red.control.flags.contains(.volatile) && gains.blue.control.flags.contains(.volatile)
      let provenance = mode == .continuous && !isReported ? Provenance.unknown : .assumed
      whiteBalance.gains = Observed(value, provenance)
      if values[.temperature] == nil || asked.gainsWereSetLast {
        let light = value.temperatureAndTint
        let derived = max(provenance, .derived)
        whiteBalance.temperature = Observed(light.temperature, derived)
        whiteBalance.tint = Observed(light.tint, derived)
      }
    }
    return whiteBalance
  }

  /// The settings of a frame that was taken with these camera settings.
  public func frameSettings(_ settings: CameraSettings) -> FrameSettings {
    var frame = FrameSettings()
    for setting in FrameSettings.settings { frame[setting] = settings[setting] }
    frame.whiteBalanceGains = settings.whiteBalance?.gains
    if values[.exposureBias] == nil { frame.exposureBias = nil }
    if let torch = settings.torch {
      frame.torchLevel = torch.isActive ? torch.level ?? Observed(1, .reported) : Observed(0, .reported)
    }
    for setting in moving { frame.markMoving(setting) }
    if settings.whiteBalance?.tint != nil, moving.contains(.whiteBalanceGains) {
      for setting in [Setting.temperature, .tint] { frame.markMoving(setting) }
    }
    return frame
  }

  /// The numbers of a group. `isAutomatic`: the camera's automatic mode of the group is on.
  private func observed(
    _ group: SettingGroup, _ numbers: Numbers, _ unread: Numbers, isAutomatic: Bool
  ) -> SettingKeyed<Observed<Double>> {
    var found = SettingKeyed<Observed<Double>>()
    // The bias is read elsewhere, because it is known whatever the mode is.
    for setting in ControlMapping.settings(of: group) where setting != .exposureBias {
      found[setting] = observed(setting, numbers, unread, isAutomatic: isAutomatic)
    }
    return found
  }

  /// The value of a setting. `isAutomatic`: the camera chooses the value itself, and most drivers do not report it, although they answer with a
  /// number.
  private func observed(
    _ setting: Setting, _ numbers: Numbers, _ unread: Numbers, isAutomatic: Bool
  ) -> Observed<Double>? {
    values[setting].flatMap { observed($0, numbers, unread, isAutomatic: isAutomatic) }
  }

  private func observed(
    _ mapped: Mapped, _ numbers: Numbers, _ unread: Numbers, isAutomatic: Bool
  ) -> Observed<Double>? {
    guard let number = numbers[mapped.control.id],
      let value = mapped.conversion.value(of: number, mapped.control)
    else { return nil }
    let flags = mapped.control.flags
    // This conversion comes from the configuration, so the value is only assumed.
    let isConfigured = if case .between = mapped.conversion { true } else { false }
    let isAssumed = isConfigured || unread[mapped.control.id] != nil
    if flags.contains(.volatile) { return Observed(value, isAssumed ? .assumed : .reported) }
    let isOfMode = isAutomatic && !mapped.setting.row.isFreeOfMode
    if isOfMode || flags.contains(.inactive) { return Observed(value, .unknown) }
    if isAssumed { return Observed(value, .assumed) }
    return Observed(value, flags.contains(.writeOnly) ? .assumed : .reported)
  }

  private func light(
    _ modes: [ControlMapping.Mode<LightMode>], _ level: Setting, _ numbers: Numbers, _ unread: Numbers
  ) -> CameraSettings.Light? {
    guard let on = modes.first(where: { $0.mode == .on }) else { return nil }
    let isOn = on.isFulfilled(by: numbers)
    var light = CameraSettings.Light(mode: isOn ? .on : .off)
    light.level = observed(level, numbers, unread, isAutomatic: false)
    light.isActive = isOn && level == .torchLevel
    return light
  }
}

extension ControlID {
  /// Whether setting this control may change whether the gains or the temperature give the light.
  package var mayTellLight: Bool {
    switch self {
    case .whiteBalanceTemperature, .redBalance, .blueBalance, .autoWhiteBalance, .whiteBalancePreset,
      .doWhiteBalance:
      true
    default: false
    }
  }
}

extension [ControlAssignment] {
  /// Whether the gains were set last, if the controls were set in this order: a balance of red or blue after the temperature, and after a mode of the
  /// driver that sets the colour. `nil`: nothing of that was set.
  package var gainsWereSetLast: Bool? {
    reversed().lazy.compactMap { assignment -> Bool? in
      switch assignment.id {
      case .redBalance, .blueBalance: true
      case .whiteBalanceTemperature, .doWhiteBalance: false
      case .autoWhiteBalance, .whiteBalancePreset: assignment.value.number == 0 ? nil : false
      default: nil
      }
    }.first
  }
}
