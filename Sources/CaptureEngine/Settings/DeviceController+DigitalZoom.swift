import CaptureModel
import CaptureSystem

/// The zoom of cameras that have none: the node keeps the middle of each frame, enlarged to the frame's size.
extension DeviceController {
  static let digitalZooms = SettingsDescription.ValueRange(minimum: 1, maximum: 8, defaultValue: 1)

  /// Whether the node zooms: the driver does not, and there are formats whose frames can be cut.
  func zoomsDigitally(_ known: KnownControls) -> Bool {
    guard !known.map.has(.zoomFactor), let knownFormats else { return false }
    return knownFormats.contains { imaging.isEncodable($0.pixelFormat) || imaging.isTurnable($0.pixelFormat) }
  }

  /// Takes from a change what the node zooms to.
  func planDigitalZoom(_ change: inout SettingsChange, _ known: KnownControls, clamping: Bool)
    throws(CaptureError) -> Double?
  {
    guard let zoom = change.zoom, zoomsDigitally(known) else { return nil }
    change.zoom = nil
    return try Self.digitalZooms.checked(zoom.factor, .zoomFactor, clamping: clamping, by: name)
  }

  /// From the next frame on whose exposure begins later, as if the camera did it.
  func zoom(to factor: Double) -> FrameTimeline.Part {
    settingsState.digitalZoom = factor
    let now = MonotonicClock.now()
    return FrameTimeline.Part(
      setting: .zoomFactor, value: Observed(factor, .reported), moment: ControlMoment(began: now, ended: now),
      delay: ControlDelay(frames: 0, provenance: .reported))
  }
}
