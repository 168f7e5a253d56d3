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
    var settings: [Setting] = []
    if lamp != nil { settings.append(.torchLevel) }
    if flash != nil { settings.append(.flashMode) }
    if zoom != nil { settings.append(.zoomFactor) }
    if frameDuration != nil { settings.append(.frameDuration) }
    if takesTorch { settings.append(.torchMode) }
    return settings.map { .setting($0) }
  }
}

extension SoftwareRequest {
  /// By which ``SettingsState/authors`` knows it.
  var keys: [SettingsKey] {
    var settings: [Setting] = []
    if focus != nil { settings.append(.focusMode) }
    if exposure != nil { settings.append(.exposureMode) }
    if whiteBalance != nil { settings.append(.whiteBalanceMode) }
    if torch != nil { settings.append(.torchMode) }
    return settings.map { .setting($0) }
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
