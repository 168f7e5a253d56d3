import CaptureModel

/// The light of photos: the driver's flash, else the torch, lit for the photo. Which of them it fires with is the node's to know.
extension DeviceController {
  /// What a camera's flash can do, and what it is; `nil`: there is no light.
  static func flashDescription(_ description: SettingsDescription) -> SettingsDescription.Light? {
    if var flash = description.flash {
      flash.modes = [.off, .on, .auto]
      flash.softwareModes = [.auto]
      return flash
    }
    guard let torch = description.torch, torch.modes.contains(.on) else { return nil }
    var flash = SettingsDescription.Light(
      modes: [.off, .on, .auto], hasLevel: false, source: "the torch (\(torch.source)), lit for the photo")
    flash.softwareModes = [.on, .auto]
    return flash
  }

  /// Adds the mode that the node keeps.
  func reportFlash(into settings: inout CameraSettings) {
    let hasDriver = settings.flash != nil
    if !hasDriver, settings.torch != nil { settings.flash = CameraSettings.Light(mode: .off) }
    guard settingsState.flashMode != .off else { return }
    settings.flash?.mode = settingsState.flashMode
    settings.flash?.isSoftware = !hasDriver || settingsState.flashMode == .auto
  }

  /// Takes from a change what of the flash is the node's. Returns the mode that it keeps from then on; `nil`: as it is. Torch and flash exclude each
  /// other: whichever is switched on last ends the other.
  func planFlash(_ change: inout SettingsChange, _ known: KnownControls) throws(CaptureError) -> LightMode? {
    guard change.torch != nil || change.flash != nil else { return nil }
    let driver = known.description
    let hasLamp = lamp(known) != nil
    let torchMode = knownSettings()?.torch?.mode ?? .off
    // A lamp's level lights it, unless it follows the light.
    if hasLamp, change.torch?.mode == nil, (change.torch?.level ?? 0) > 0, torchMode != .auto {
      change.torch?.mode = .on
    }
    try change.checkLights()
    let hasFlash = driver.flash != nil
    guard hasFlash || driver.torch != nil || hasLamp else { return nil }
    if let torch = change.torch?.mode, torch != .off, change.flash?.mode == nil {
      if hasFlash || settingsState.flashMode != .off {
        change.flash = SettingsChange.Light(mode: .off, level: change.flash?.level)
      }
    }
    guard let mode = change.flash?.mode else { return nil }
    if mode != .off, change.torch?.mode == nil, settingsState.photoLight == nil, torchMode != .off {
      change.torch = SettingsChange.Light(mode: .off, level: change.torch?.level)
    }
    if hasFlash {
      // It is made ready when a photo needs it.
      change.flash?.mode = .off
    } else {
      if change.flash?.level != nil {
        throw CaptureError(
          .invalidArgument,
          "\(Setting.flashLevel) cannot be set on \(name): its torch is the flash, as bright as it gets")
      }
      change.flash = nil
    }
    return mode
  }
}
