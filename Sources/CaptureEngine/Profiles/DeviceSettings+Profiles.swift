import CaptureControls
import CaptureModel

/// Makes profiles of the camera's settings, and sets profiles. Callers hold the gate `settings`.
extension DeviceSettings {
  /// Sets everything in a profile, or nothing. The caller then makes the stream keep to its frame duration (``applyFrameDuration(of:)``).
  func apply(_ profile: CameraProfile, named name: String, to camera: any Camera)
    async throws(CaptureError) -> (SettingsOutcome, SettingsTransaction)
  {
    let known = try await self.known(of: camera)
    var transaction = try await self.transaction(name, profile, known)
    try CaptureError.checkCancellation()
    var outcome = try await apply(&transaction, on: camera)
    // A ramp that is on its way ends: otherwise it would continue from the profile's zoom.
    replaceRamp(with: nil)
    report(into: &outcome.settings, controls.known ?? known)
    automationChanged()
    return (outcome, transaction)
  }

  private func transaction(
    _ name: String, _ profile: CameraProfile, _ known: KnownControls
  ) async throws(CaptureError) -> SettingsTransaction {
    let camera = context.camera.name
    var plan = try SettingsPlan(profile: name, profile.controls, of: camera, list: known.list)
    let (hasZoom, hasLamp) = (zoom.kind(known) != nil, lights.hasLamp)
    try profile.check(name, of: camera, abilities(known), hasZoom: hasZoom, hasLamp: hasLamp)
    // The node's own modes end, except those that the profile begins.
    if automation.software != nil { plan.software = profile.software?.request ?? .release }
    plan.asked = asked
    if let mode = profile.exposureMode { plan.asked.exposureMode = mode }
    plan.asked.gainsWereSetLast = profile.controls.gainsWereSetLast ?? false
    var strict = Clamping(false)
    let lamp = lights.planLamp(profile, &strict)
    plan.clamped += strict.values
    var transaction = transaction(plan, by: .client, known)
    transaction.lamp = lamp
    (transaction.flash, transaction.setsTorch) = (profile.flash, true)
    if hasZoom { transaction.zoom = profile.zoom }
    // If the bounds are set already, the stream need not be checked.
    let bounds = frameDuration.bounds ?? SettingsChange.FrameDuration()
    guard let wanted = profile.frameDuration, wanted != bounds else { return transaction }
    transaction.frameDuration = try await frameDuration.plan(wanted, &strict)
    if context.stream.active != nil { transaction.promises = [.frameDuration] }
    return transaction
  }

  /// The camera's present settings, as a profile. Throws if a control that it would have cannot be read.
  func profile(of camera: any Camera) async throws(CaptureError) -> CameraProfile {
    var profile = CameraProfile()
    profile.controls = try await controlsToKeep(of: camera)
    let known = try await self.known(of: camera)
    let now = reported(known)
    profile.exposureMode = asked.exposureMode
    if automation.software != nil { profile.software = CameraProfile.Software(now, abilities(known)) }
    if zoom.kind(known) != nil { profile.zoom = zoom.factor }
    (profile.torchLevel, profile.flash) = (lights.lampLevel, lights.flashMode)
    if now.torch?.isSoftware == true {
      // An automatic torch begins dark.
      if profile.torchLevel != nil { profile.torchLevel = 0 }
      for (control, number) in known.map.torchOff { profile.controls.note(control, .integer(number)) }
    }
    profile.frameDuration = frameDuration.bounds ?? SettingsChange.FrameDuration()
    return profile
  }

  private func controlsToKeep(of camera: any Camera) async throws(CaptureError) -> ControlMemory {
    var memory = ControlMemory()
    let kept = try await self.controls.reader.list(of: camera).filter {
      $0.keepsValue && $0.isReadable
        && $0.flags.isDisjoint(with: [.readOnly, .inactive, .disabled, .grabbed, .modifyLayout])
    }
    // A colour temperature sets balances too, so it goes before them.
    let controls =
      kept.filter { $0.id == .whiteBalanceTemperature } + kept.filter { $0.id != .whiteBalanceTemperature }
    // A profile that lacked a control would replace one that has it.
    let values = try await self.controls.reader.values(
      of: controls.map(\.id), from: camera, requiring: .all)
    for control in controls {
      if let value = values[control.id].flatMap(control.settable) { memory.note(control, value) }
    }
    return memory
  }

  /// The settings that a profile sets; `nil` while the camera is not there.
  func settings(in profile: CameraProfile) -> CameraSettings? {
    guard let known = controls.known else { return nil }
    var numbers = SettingsMap.Numbers()
    for entry in profile.controls.entries { numbers[entry.id] = entry.value.number }
    var asked = SettingsMap.Asked()
    asked.exposureMode = profile.exposureMode
    asked.gainsWereSetLast = profile.controls.gainsWereSetLast ?? false
    var settings = known.map.settings(numbers, asked: asked)
    profile.report(into: &settings)
    if let factor = profile.zoom {
      settings.zoom = CameraSettings.Zoom(
        factor: Observed(factor, .reported), kind: zoom.kind(known) ?? .digital)
    }
    return settings
  }
}
