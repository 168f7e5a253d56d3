import CaptureModel

/// The light of a photo, and how to switch it off.
struct PhotoLight: Sendable {
  /// The change that switches the torch, or the driver's flash, back.
  var undo = SettingsChange()
  /// The control that ends a strobe which outlasts the photo.
  var stop: ControlID?
  /// The strobe's timeout as it was; `nil`: it was not changed.
  var timeout: ControlAssignment?
}
