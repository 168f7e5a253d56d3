public import CaptureModel

extension SettingsProfile {
  public init(_ profile: CaptureModel.SettingsProfile) {
    self.init(
      name: profile.name, device: profile.camera.rawValue,
      settings: profile.settings.map { CameraSettings(device: profile.camera.rawValue, $0) },
      controls: UInt32(clamping: profile.controls))
  }

  package var model: CaptureModel.SettingsProfile {
    .init(
      name: name, camera: CameraID(rawValue: device), settings: settings?.model, controls: Int(controls))
  }
}
