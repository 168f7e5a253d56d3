public import CaptureModel

/// Where the number of a setting stands in what is told of a frame. Not key paths, which cost a hundred times as much: each frame is told.
package struct FrameSettingField: Sendable {
  /// Its field's: "lens_position".
  package let name: String
  package let setting: Setting
  package let read: @Sendable (FrameSettings) -> Observed?
  let write: @Sendable (Observed, inout FrameSettings) -> Void

  init(
    _ name: String, _ setting: Setting, read: @escaping @Sendable (FrameSettings) -> Observed?,
    write: @escaping @Sendable (Observed, inout FrameSettings) -> Void
  ) {
    (self.name, self.setting, self.read, self.write) = (name, setting, read, write)
  }
}

extension FrameSettings {
  package static let fields: [FrameSettingField] = [
    .init("lens_position", .lensPosition, read: { $0.lensPosition }, write: { $1.lensPosition = $0 }),
    .init(
      "exposure_duration", .exposureDuration, read: { $0.exposureDuration },
      write: { $1.exposureDuration = $0 }),
    .init("iso", .iso, read: { $0.iso }, write: { $1.iso = $0 }),
    .init("gain", .gain, read: { $0.gain }, write: { $1.gain = $0 }),
    .init("exposure_bias", .exposureBias, read: { $0.exposureBias }, write: { $1.exposureBias = $0 }),
    .init("temperature", .temperature, read: { $0.temperature }, write: { $1.temperature = $0 }),
    .init("tint", .tint, read: { $0.tint }, write: { $1.tint = $0 }),
    .init("zoom_factor", .zoomFactor, read: { $0.zoomFactor }, write: { $1.zoomFactor = $0 }),
    .init("iris", .iris, read: { $0.iris }, write: { $1.iris = $0 }),
    .init("torch_level", .torchLevel, read: { $0.torchLevel }, write: { $1.torchLevel = $0 }),
  ]

  public init(_ settings: CaptureModel.FrameSettings) {
    self.init(
      change: settings.change,
      whiteBalanceGains: settings.whiteBalanceGains.flatMap { ColourGains($0) },
      whiteBalanceGainsProvenance: Provenance(settings.whiteBalanceGains?.provenance))
    for field in Self.fields {
      if let number = settings[field.setting] { field.write(Observed(number), &self) }
    }
  }

  package var model: CaptureModel.FrameSettings {
    var settings = CaptureModel.FrameSettings()
    settings.change = change
    settings.whiteBalanceGains = ColourGains.observed(whiteBalanceGains, whiteBalanceGainsProvenance)
    for field in Self.fields { settings[field.setting] = field.read(self)?.model }
    return settings
  }
}
