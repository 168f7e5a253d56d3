import CaptureModel

/// What of a change no control of the driver does: the node does it, or keeps it.
struct NodePart: Sendable {
  var lamp: DeviceController.Lamp.Change?
  /// With which photos the flash fires from then on.
  var flash: LightMode?
  /// The factor of the node's own zoom.
  var zoom: Double?
  var frameDuration: SettingsChange.FrameDuration?
  /// Somebody switches the torch: a photo that has lit it leaves it alone from then on.
  var takesTorch = false
}

extension NodePart {
  /// By which ``SettingsState/authors`` knows it.
  var keys: [SettingsKey] {
    keysOfParts(
      (lamp != nil, .torchLevel), (flash != nil, .flashMode), (zoom != nil, .zoomFactor),
      (frameDuration != nil, .frameDuration), (takesTorch, .torchMode))
  }
}

extension SoftwareRequest {
  /// By which ``SettingsState/authors`` knows it.
  var keys: [SettingsKey] {
    keysOfParts(
      (focus != nil, .focusMode), (exposure != nil, .exposureMode), (whiteBalance != nil, .whiteBalanceMode),
      (torch != nil, .torchMode))
  }

  /// Without what is not among them.
  func limited(to keys: Set<SettingsKey>) -> SoftwareRequest {
    var request = self
    if !keys.contains(.setting(.focusMode)) { request.focus = nil }
    if !keys.contains(.setting(.exposureMode)) { request.exposure = nil }
    if !keys.contains(.setting(.whiteBalanceMode)) { request.whiteBalance = nil }
    if !keys.contains(.setting(.torchMode)) { request.torch = nil }
    return request
  }
}

private func keysOfParts(_ parts: (isThere: Bool, setting: Setting)...) -> [SettingsKey] {
  parts.filter(\.isThere).map { .setting($0.setting) }
}
