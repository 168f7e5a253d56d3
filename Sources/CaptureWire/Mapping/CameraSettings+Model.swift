public import CaptureModel

extension CameraSettings {
  public init(device: String, _ settings: CaptureModel.CameraSettings) {
    self.init(
      device: device, focus: settings.focus.map { FocusSettings($0) },
      exposure: settings.exposure.map { ExposureSettings($0) },
      whiteBalance: settings.whiteBalance.map { WhiteBalanceSettings($0) },
      zoom: settings.zoom.map { ZoomSettings($0) },
      torch: settings.torch.map { LightSettings($0) }, flash: settings.flash.map { LightSettings($0) },
      minimumFrameDuration: settings.frameDuration?.minimum.map { FrameInterval($0) },
      maximumFrameDuration: settings.frameDuration?.maximum.map { FrameInterval($0) })
  }
}

extension FocusSettings {
  init(_ focus: CaptureModel.CameraSettings.Focus) {
    self.init(
      mode: FocusMode(focus.mode), point: focus.point.map { Point($0) }, range: FocusRange(focus.range),
      adjusting: focus.isAdjusting, software: focus.isSoftware, failure: focus.failure ?? "")
    focus.numbers.write(Self.fields, into: &self)
  }

  fileprivate var model: CaptureModel.CameraSettings.Focus? {
    guard let mode = mode.known else { return nil }
    var focus = CaptureModel.CameraSettings.Focus(mode: mode)
    (focus.point, focus.range) = (point?.model, range.known)
    (focus.isAdjusting, focus.isSoftware) = (adjusting, software)
    focus.failure = failure.isEmpty ? nil : failure
    focus.numbers.read(Self.fields, of: self)
    return focus
  }
}

extension ExposureSettings {
  init(_ exposure: CaptureModel.CameraSettings.Exposure) {
    self.init(
      mode: ExposureMode(exposure.mode), bias: exposure.bias, point: exposure.point.map { Point($0) },
      adjusting: exposure.isAdjusting, software: exposure.isSoftware, failure: exposure.failure ?? "")
    exposure.numbers.write(Self.fields, into: &self)
  }

  fileprivate var model: CaptureModel.CameraSettings.Exposure? {
    guard let mode = mode.known else { return nil }
    var exposure = CaptureModel.CameraSettings.Exposure(mode: mode)
    (exposure.bias, exposure.point) = (bias, point?.model)
    (exposure.isAdjusting, exposure.isSoftware) = (adjusting, software)
    exposure.failure = failure.isEmpty ? nil : failure
    exposure.numbers.read(Self.fields, of: self)
    return exposure
  }
}

extension WhiteBalanceSettings {
  init(_ balance: CaptureModel.CameraSettings.WhiteBalance) {
    self.init(
      mode: WhiteBalanceMode(balance.mode), gains: balance.gains.flatMap { ColourGains($0) },
      gainsProvenance: Provenance(balance.gains?.provenance), adjusting: balance.isAdjusting,
      software: balance.isSoftware, failure: balance.failure ?? "")
    balance.numbers.write(Self.fields, into: &self)
  }

  fileprivate var model: CaptureModel.CameraSettings.WhiteBalance? {
    guard let mode = mode.known else { return nil }
    var balance = CaptureModel.CameraSettings.WhiteBalance(mode: mode)
    balance.gains = ColourGains.observed(gains, gainsProvenance)
    (balance.isAdjusting, balance.isSoftware) = (adjusting, software)
    balance.failure = failure.isEmpty ? nil : failure
    balance.numbers.read(Self.fields, of: self)
    return balance
  }
}

extension ZoomSettings {
  init(_ zoom: CaptureModel.CameraSettings.Zoom) {
    self.init(factor: Observed(zoom.factor), ramping: zoom.isRamping, kind: ZoomKind(zoom.kind))
  }

  fileprivate var model: CaptureModel.CameraSettings.Zoom? {
    guard let factor, let kind = kind.known else { return nil }
    var zoom = CaptureModel.CameraSettings.Zoom(factor: factor.model, kind: kind)
    zoom.isRamping = ramping
    return zoom
  }
}

extension LightSettings {
  init(_ light: CaptureModel.CameraSettings.Light) {
    self.init(
      mode: LightMode(light.mode), level: light.level.map { Observed($0) }, active: light.isActive,
      software: light.isSoftware)
  }

  fileprivate var model: CaptureModel.CameraSettings.Light? {
    guard let mode = mode.known else { return nil }
    var light = CaptureModel.CameraSettings.Light(mode: mode)
    (light.level, light.isActive, light.isSoftware) = (level?.model, active, software)
    return light
  }
}

extension ClampedValue {
  public init(_ value: CaptureModel.ClampedValue) {
    self.init(name: value.name, asked: value.asked, set: value.set, step: value.step)
  }

  package var model: CaptureModel.ClampedValue { .init(name: name, asked: asked, set: set, step: step) }
}

extension CameraSettings {
  /// The settings that a node sent. A group whose mode only newer nodes know is `nil`, since nobody here could say what the mode does.
  package var model: CaptureModel.CameraSettings {
    var settings = CaptureModel.CameraSettings()
    settings.focus = focus?.model
    settings.exposure = exposure?.model
    settings.whiteBalance = whiteBalance?.model
    settings.zoom = zoom?.model
    settings.torch = torch?.model
    settings.flash = flash?.model
    let (minimum, maximum) = (minimumFrameDuration?.model, maximumFrameDuration?.model)
    if minimum != nil || maximum != nil { settings.frameDuration = .init(minimum: minimum, maximum: maximum) }
    return settings
  }
}
