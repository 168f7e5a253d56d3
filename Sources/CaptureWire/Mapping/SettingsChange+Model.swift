public import CaptureModel

extension SettingsChange {
  /// The change of settings, without the message's other controls. Throws `invalidArgument` for points outside the picture, modes that this version
  /// does not know, invalid gains, and a frame duration without a numerator or without a denominator.
  public func model() throws(CaptureError) -> CaptureModel.SettingsChange {
    var change = CaptureModel.SettingsChange()
    if let focus { change.focus = try focus.model() }
    if let exposure { change.exposure = try exposure.model() }
    if let whiteBalance { change.whiteBalance = try whiteBalance.model() }
    if let zoom {
      change.zoom = CaptureModel.SettingsChange.Zoom(factor: zoom.factor)
      if case .rate(let rate)? = zoom.ramp {
        guard zoom.factor != 0 else {
          throw CaptureError(
            .invalidArgument, "a zoom of 0 stops a ramp where it is, and has no rate",
            .init(.fieldsExclusive, field: "change.zoom.rate", asked: .number(rate)))
        }
        change.zoom?.rate = rate
      }
    }
    if let frameDuration {
      change.frameDuration = .init(
        minimum: try frameDuration.minimum?.model("change.frame_duration.minimum"),
        maximum: try frameDuration.maximum?.model("change.frame_duration.maximum"))
    }
    change.torch = try torch?.model("torch mode", "change.torch.mode")
    change.flash = try flash?.model("flash mode", "change.flash.mode")
    return change
  }
}

extension FocusChange {
  fileprivate func model() throws(CaptureError) -> CaptureModel.SettingsChange.Focus {
    var focus = CaptureModel.SettingsChange.Focus(
      mode: try mode.model("focus mode", "change.focus.mode"), point: try point.model("change.focus.point"),
      range: try range.model("focus range", "change.focus.range"))
    focus.numbers.read(FocusSettings.fields, of: self)
    return focus
  }

  fileprivate init(_ focus: CaptureModel.SettingsChange.Focus) {
    self.init(
      mode: FocusMode(focus.mode), point: focus.point.map { Point($0) }, range: FocusRange(focus.range))
    focus.numbers.write(FocusSettings.fields, into: &self)
  }
}

extension ExposureChange {
  fileprivate func model() throws(CaptureError) -> CaptureModel.SettingsChange.Exposure {
    var exposure = CaptureModel.SettingsChange.Exposure(
      mode: try mode.model("exposure mode", "change.exposure.mode"),
      point: try point.model("change.exposure.point"))
    exposure.numbers.read(ExposureSettings.fields, of: self)
    if case .bias(let value)? = compensation { exposure.bias = value }
    return exposure
  }

  fileprivate init(_ exposure: CaptureModel.SettingsChange.Exposure) {
    self.init(mode: ExposureMode(exposure.mode), point: exposure.point.map { Point($0) })
    exposure.numbers.write(ExposureSettings.fields, into: &self)
    compensation = exposure.bias.map { .bias($0) }
  }
}

extension WhiteBalanceChange {
  fileprivate func model() throws(CaptureError) -> CaptureModel.SettingsChange.WhiteBalance {
    var balance = CaptureModel.SettingsChange.WhiteBalance(
      mode: try mode.model("white balance mode", "change.white_balance.mode"))
    switch colour {
    case .temperature(let light): balance.colour = .temperature(light.model)
    case .gains(let gains):
      balance.colour = .gains(try gains.model(CaptureError.field(of: .whiteBalanceGains)))
    case .greyWorld(true): balance.colour = .greyWorld
    case .greyWorld(false):
      throw CaptureError(
        .invalidArgument, "grey_world is either true or left out",
        .init(.valueNotPossible, field: "change.white_balance.grey_world"))
    case nil: break
    }
    return balance
  }

  fileprivate init(_ balance: CaptureModel.SettingsChange.WhiteBalance) {
    self.init(mode: WhiteBalanceMode(balance.mode))
    switch balance.colour {
    case .temperature(let light): colour = .temperature(TemperatureAndTint(light))
    case .gains(let gains): colour = .gains(ColourGains(gains))
    case .greyWorld: colour = .greyWorld(true)
    case nil: break
    }
  }
}

extension LightChange {
  fileprivate func model(_ what: String, _ field: String) throws(CaptureError)
    -> CaptureModel.SettingsChange.Light
  {
    var light = CaptureModel.SettingsChange.Light(mode: try mode.model(what, field))
    if case .level(let level)? = brightness { light.level = level }
    return light
  }

  fileprivate init(_ light: CaptureModel.SettingsChange.Light) {
    self.init(mode: LightMode(light.mode), brightness: light.level.map { .level($0) })
  }
}

extension SettingsChange {
  package init(_ change: CaptureModel.SettingsChange) {
    self.init(
      focus: change.focus == .init() ? nil : FocusChange(change.focus),
      exposure: change.exposure == .init() ? nil : ExposureChange(change.exposure),
      whiteBalance: change.whiteBalance == .init() ? nil : WhiteBalanceChange(change.whiteBalance),
      zoom: change.zoom.map { ZoomChange(factor: $0.factor, ramp: $0.rate.map { .rate($0) }) },
      torch: change.torch.map { LightChange($0) }, flash: change.flash.map { LightChange($0) },
      frameDuration: change.frameDuration.map {
        FrameDurationChange(minimum: $0.minimum.map { .init($0) }, maximum: $0.maximum.map { .init($0) })
      })
  }
}
