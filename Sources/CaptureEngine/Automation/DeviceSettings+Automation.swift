import CaptureControls
import CaptureModel

extension DeviceSettings {
  /// Attaches the software that works from the camera's pictures, from the next stream on; `nil` detaches it.
  package func attach(_ software: SoftwareThreeA?) {
    automation.attach(software)
    automationChanged()
  }

  /// The software that works from the camera's pictures; `nil`: the camera has only its driver's modes.
  var software: SoftwareThreeA? { automation.software }

  /// Ends all of the node's modes, the torch's too. Returns the request that resumes them.
  func releaseAutomation() async throws(CaptureError) -> SoftwareRequest? {
    try await automation.set(.release)
  }

  /// The abilities that software adds to this camera.
  func abilities(_ known: KnownControls) -> SoftwareAbilities {
    automation.abilities(known, zoom: zoom, lights: lights)
  }

  /// Whether one of the node's own modes has focus, exposure or white balance.
  var isNodeAutomatic: Bool {
    let present = latest()
    return automation.isSearching || present?.focus?.isSoftware == true
      || present?.exposure?.isSoftware == true || present?.whiteBalance?.isSoftware == true
  }

  /// Makes a change for the node's own modes, as ``set(_:controls:clamping:)`` does for clients. The change ends none of these modes, and its values
  /// are not kept for the camera's return. `due` is asked for the change when its turn comes; nothing is done for an empty one.
  public func applyAutomation(_ due: @Sendable () -> SettingsChange)
    async throws(CaptureError) -> SettingsOutcome?
  {
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    var change = due()
    // An automatic torch is not switched on without a stream, since nothing measures the light then.
    if context.stream.active == nil, change.torch?.mode == .on { change.torch = nil }
    return change.isEmpty ? nil : try await applyChange(change, clamping: true, by: .automation).outcome
  }

  /// Switches off an automatic torch. Waits until the software has set the values that it found, and those that it sets at the end of a stream.
  func finishAutomation() async {
    if isTorchAutomatic { await endAutomaticTorch() }
    await automation.software?.waitUntilSet()
  }

  /// Resumes the node's modes that were on when the camera went or the node ended. `latest`: the number of the latest change when the camera
  /// returned. The modes that clients have set since then stay. If the camera's controls cannot be read now, that is done when they are next read.
  func resumeAutomation(_ kept: SoftwareMemory, of camera: any Camera, keepingChangesAfter latest: UInt64)
    async
  {
    guard let software = automation.software else { return }
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard context.camera.isPresent(camera) else { return }
    // Another reading may have succeeded meanwhile.
    guard let known = (try? await self.known(of: camera)) ?? controls.known(of: camera) else {
      if context.camera.isPresent(camera) { resumeLater(kept, keepingChangesAfter: latest) }
      return
    }
    // This tells the software what the camera can do.
    _ = abilities(known)
    var request = kept.request
    if ledger.isSet(.setting(.focusMode), after: latest) { request.focus = nil }
    if ledger.isSet(.setting(.exposureMode), after: latest) { request.exposure = nil }
    if ledger.isSet(.setting(.whiteBalanceMode), after: latest) { request.whiteBalance = nil }
    if ledger.isSet(.setting(.torchMode), after: latest) { request.torch = nil }
    software.resume(request)
    // If a client's change has saved the modes meanwhile, those that were not resumed yet are missing, so all are saved again.
    if context.saved.memory.software != kept { saveAutomation(reported(known), known) }
    // Without frames, the node's modes do not set what they owe the camera, so it is set here. `applyUnsetValues` reports what the driver refuses.
    if request.owesValues { try? await applyUnsetValues() }
    automationChanged()
  }

  /// Keeps values that the software found, as if a client had set them. The values of controls that one of the camera's own automatic modes owns
  /// again are not kept.
  public func saveFoundValues(of settings: [Setting]) async {
    await context.gates.settings.enterToCleanUp()
    defer { context.gates.settings.leave() }
    guard let camera = context.camera.present, let known = try? await self.known(of: camera) else { return }
    let controls = known.controls(of: Set(settings))
    let temperature = controls.filter { $0.id == .whiteBalanceTemperature }
    let others = controls.filter { $0.id != .whiteBalanceTemperature }
    context.saved.update { memory in
      // Values are set again in this order. Drivers change the gains with the temperature, so whichever of them describes the light comes last.
      for control in asked.gainsWereSetLast ? temperature + others : others + temperature
      where !control.flags.contains(.inactive) {
        if let number = known.numbers[control.id] { memory.controls.note(control, .integer(number)) }
      }
    }
    // The values that were found stay, and the camera does not get its own mode back: the memory must no longer have that mode.
    if context.saved.memory.software?.ownModes != nil { saveAutomation(reported(known), known) }
  }
}

extension SoftwareRequest {
  /// The settings whose values the software finds from here on. Values that clients set before are no longer restored.
  var takenOver: Set<Setting> {
    var settings: Set<Setting> = []
    if focus?.mode != nil { settings.insert(.lensPosition) }
    if exposure?.mode != nil { settings.formUnion([.exposureDuration, .gain]) }
    if let whiteBalance, whiteBalance.mode != nil || whiteBalance.isGreyWorld {
      settings.formUnion([.temperature, .whiteBalanceGains])
    }
    return settings
  }
}
