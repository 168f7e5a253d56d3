public import CaptureModel

extension SettingsEvent {
  /// `device`: the camera's identity. `hasSettings`: whether anything of the camera's settings is known.
  public init(device: String, _ event: CaptureModel.SettingsEvent, hasSettings: Bool = true) {
    self.init(
      changed: event.changed,
      settings: hasSettings ? CameraSettings(device: device, event.settings) : nil,
      controls: event.controls.map { ControlReading($0) }, change: event.change,
      frame: event.frame.map { FramePosition($0) }, provenance: Provenance(event.provenance),
      awayNs: event.away?.wholeNanoseconds ?? 0, restorations: event.restorations)
  }

  package var model: CaptureModel.SettingsEvent {
    var event = CaptureModel.SettingsEvent(
      changed: changed, settings: settings?.model ?? .init(), controls: controls.map(\.model), change: change,
      frame: frame?.model, provenance: provenance.model)
    (event.away, event.restorations) = (awayNs == 0 ? nil : .nanoseconds(awayNs), restorations)
    return event
  }
}
