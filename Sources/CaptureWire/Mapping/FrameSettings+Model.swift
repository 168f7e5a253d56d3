public import CaptureModel

/// Reads and writes the field of `FrameSettings` that has a setting's number. It has closures: key paths cost a hundred times as much, and this is done
/// for each frame.
package struct FrameNumber: Sendable {
  let read: @Sendable (FrameSettings) -> Observed?
  let write: @Sendable (Observed, inout FrameSettings) -> Void

  init(
    _ read: @escaping @Sendable (FrameSettings) -> Observed?,
    _ write: @escaping @Sendable (Observed, inout FrameSettings) -> Void
  ) { (self.read, self.write) = (read, write) }
}

extension FrameSettings {
  /// The numbers of the groups' rows, and those that stand in no such row.
  private static let numbers: [(setting: Setting, number: FrameNumber)] =
    FocusSettings.fields.compactMap(\.inFrames) + ExposureSettings.fields.compactMap(\.inFrames)
    + WhiteBalanceSettings.fields.compactMap(\.inFrames) + [
      (.exposureBias, FrameNumber({ $0.exposureBias }, { $1.exposureBias = $0 })),
      (.zoomFactor, FrameNumber({ $0.zoomFactor }, { $1.zoomFactor = $0 })),
      (.torchLevel, FrameNumber({ $0.torchLevel }, { $1.torchLevel = $0 })),
    ]

  public init(_ settings: CaptureModel.FrameSettings) {
    self.init(
      change: settings.change,
      whiteBalanceGains: settings.whiteBalanceGains.flatMap { ColourGains($0) },
      whiteBalanceGainsProvenance: Provenance(settings.whiteBalanceGains?.provenance))
    for (setting, number) in Self.numbers {
      if let value = settings[setting] { number.write(Observed(value), &self) }
    }
  }

  package var model: CaptureModel.FrameSettings {
    var settings = CaptureModel.FrameSettings()
    settings.change = change
    settings.whiteBalanceGains = ColourGains.observed(whiteBalanceGains, whiteBalanceGainsProvenance)
    for (setting, number) in Self.numbers { settings[setting] = number.read(self)?.model }
    return settings
  }
}
