import CaptureModel

/// How a camera was before a change, for when a later part of it fails. What is `nil` was not changed.
struct SettingsUndo: Sendable {
  let change: UInt64
  /// What the driver took, in order.
  var done: [SettingsRun.Done] = []
  var software: SoftwareRequest?
  var lamp: DeviceController.Lamp?
  var flashMode: LightMode?
  /// What puts out a torch that was lit for a photo: that did not, once the change had taken the torch.
  var photoLight: SettingsChange?
  /// The factor of the node's own zoom.
  var zoom: Double?
  let asked: SettingsMap.Asked
  let memory: CameraMemory
  /// All that the change set.
  var keys: [SettingsKey] = []

  init(_ change: UInt64, of own: NodePart, before state: SettingsState, _ memory: CameraMemory) {
    self.change = change
    if own.lamp != nil { lamp = state.lamp }
    if own.flash != nil { flashMode = state.flashMode }
    if own.takesTorch { photoLight = state.photoLight }
    if own.zoom != nil { zoom = state.ownZoom }
    asked = state.asked
    self.memory = memory
  }

  var hasFrameDuration: Bool { keys.contains(.setting(.frameDuration)) }

  /// Without what is not among them.
  func limited(to keys: Set<SettingsKey>) -> SettingsUndo {
    var undo = self
    undo.keys.removeAll { !keys.contains($0) }
    undo.done.removeAll { !keys.contains(.control($0.control.id)) }
    undo.software = software?.limited(to: keys)
    if undo.software?.isEmpty == true { undo.software = nil }
    if !keys.contains(.setting(.torchLevel)) { undo.lamp = nil }
    if !keys.contains(.setting(.flashMode)) { undo.flashMode = nil }
    if !keys.contains(.setting(.torchMode)) { undo.photoLight = nil }
    if !keys.contains(.setting(.zoomFactor)) { undo.zoom = nil }
    return undo
  }
}
