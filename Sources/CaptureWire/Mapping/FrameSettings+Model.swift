public import CaptureModel

/// Reads and writes the field of `FrameSettings` that has a setting's value. It has closures, since key paths cost a hundred times as much, and this
/// is done for each frame.
package struct FrameSettingField: Sendable {
  let read: @Sendable (FrameSettings) -> Observed?
  let write: @Sendable (Observed, inout FrameSettings) -> Void

  init(
    _ read: @escaping @Sendable (FrameSettings) -> Observed?,
    _ write: @escaping @Sendable (Observed, inout FrameSettings) -> Void
  ) { (self.read, self.write) = (read, write) }
}

extension FrameSettings {
  /// The fields of all settings: of those that have a row in their group (``SettingField``), and of those that have none.
  private static let settingFields: [(setting: Setting, field: FrameSettingField)] =
    FocusSettings.fields.compactMap(\.inFrames) + ExposureSettings.fields.compactMap(\.inFrames)
    + WhiteBalanceSettings.fields.compactMap(\.inFrames) + [
      (.exposureBias, FrameSettingField({ $0.exposureBias }, { $1.exposureBias = $0 })),
      (.zoomFactor, FrameSettingField({ $0.zoomFactor }, { $1.zoomFactor = $0 })),
      (.torchLevel, FrameSettingField({ $0.torchLevel }, { $1.torchLevel = $0 })),
    ]

  public init(_ settings: CaptureModel.FrameSettings) {
    self.init(
      change: settings.change,
      whiteBalanceGains: settings.whiteBalanceGains.flatMap { ColourGains($0) },
      whiteBalanceGainsProvenance: Provenance(settings.whiteBalanceGains?.provenance))
    for (setting, field) in Self.settingFields {
      if let value = settings[setting] { field.write(Observed(value), &self) }
    }
  }

  package var model: CaptureModel.FrameSettings {
    var settings = CaptureModel.FrameSettings()
    settings.change = change
    settings.whiteBalanceGains = ColourGains.observed(whiteBalanceGains, whiteBalanceGainsProvenance)
    for (setting, field) in Self.settingFields { settings[setting] = field.read(self)?.model }
    return settings
  }
}
