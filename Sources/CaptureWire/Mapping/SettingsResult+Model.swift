package import CaptureModel

extension SetSettingsResponse {
  /// `device`: the camera's identity.
  package init(device: String, _ result: SettingsResult) {
    self.init(
      change: result.change, settings: .init(device: device, result.settings),
      streaming: result.isStreaming, clamped: result.clamped.map { .init($0) })
  }

  package var model: SettingsResult {
    SettingsResult(
      change: change, settings: settings?.model ?? .init(), isStreaming: streaming,
      clamped: clamped.map(\.model))
  }
}
