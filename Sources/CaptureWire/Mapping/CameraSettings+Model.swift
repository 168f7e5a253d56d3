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

extension Point {
  public init(_ point: NormalizedPoint) { self.init(x: point.x, y: point.y) }
}

extension ColourGains {
  /// `nil`: the gains are unknown.
  init?(_ gains: CaptureModel.Observed<WhiteBalanceGains>) {
    if gains.provenance == .unknown { return nil }
    self.init(gains.value)
  }

  public init(_ gains: WhiteBalanceGains) {
    self.init(red: gains.red, green: gains.green, blue: gains.blue)
  }
}

extension FocusSettings {
  init(_ focus: CaptureModel.CameraSettings.Focus) {
    self.init(
      mode: FocusMode(focus.mode), point: focus.point.map { Point($0) }, range: FocusRange(focus.range),
      adjusting: focus.isAdjusting, software: focus.isSoftware, failure: focus.failure ?? "")
    focus.numbers.write(Self.fields, into: &self)
  }
}

extension ExposureSettings {
  init(_ exposure: CaptureModel.CameraSettings.Exposure) {
    self.init(
      mode: ExposureMode(exposure.mode), bias: exposure.bias, point: exposure.point.map { Point($0) },
      adjusting: exposure.isAdjusting, software: exposure.isSoftware, failure: exposure.failure ?? "")
    exposure.numbers.write(Self.fields, into: &self)
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
}

extension ZoomSettings {
  init(_ zoom: CaptureModel.CameraSettings.Zoom) {
    self.init(factor: Observed(zoom.factor), ramping: zoom.isRamping, kind: ZoomKind(zoom.kind))
  }
}

extension LightSettings {
  init(_ light: CaptureModel.CameraSettings.Light) {
    self.init(
      mode: LightMode(light.mode), level: light.level.map { Observed($0) }, active: light.isActive,
      software: light.isSoftware)
  }
}

extension ClampedValue {
  public init(_ value: CaptureModel.ClampedValue) {
    self.init(name: value.name, asked: value.asked, set: value.set, step: value.step)
  }
}
