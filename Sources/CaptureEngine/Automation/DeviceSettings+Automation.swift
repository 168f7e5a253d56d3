import CaptureControls
import CaptureModel

extension DeviceSettings {
  /// Joins a camera and what works from its pictures, from the next stream on; `nil` ends that.
  package func attach(_ software: (any SoftwareControl)?) {
    automation.attach(software)
    automationChanged()
  }

  /// What works from pictures can do here.
  func abilities(_ known: KnownControls) -> SoftwareAbilities {
    automation.abilities(known, zoom: zoom, lights: lights)
  }

  /// One of the node's own modes has focus, exposure or white balance.
  var isNodeAutomatic: Bool {
    let present = latest()
    return automation.isSearching || present?.focus?.isSoftware == true
      || present?.exposure?.isSoftware == true || present?.whiteBalance?.isSoftware == true
  }

  /// As ``set(_:controls:clamping:)`` for the software itself: takes nothing away from it, and what it sets is not kept for the camera's return.
  /// `due` is asked what to set when it is its turn; if that is nothing, nothing is done.
  public func actuate(_ due: @Sendable () -> SettingsChange)
    async throws(CaptureError) -> SettingsOutcome?
  {
    try await context.gates.enter(.settings)
    defer { context.gates.leave(.settings) }
    var change = due()
    // A torch that follows the light sees none without a stream.
    if context.stream.active == nil, change.torch?.mode == .on { change.torch = nil }
    return change.isEmpty ? nil : try await make(change, clamping: true, by: .automation).outcome
  }

  /// Its modes that were on when the camera went, or the node ended, go on.
  func resumeAutomation(of camera: any Camera) async {
    guard automation.software != nil, let request = context.kept.memory.software?.request else { return }
    await context.gates.enterToCleanUp(.settings)
    defer { context.gates.leave(.settings) }
    guard context.camera.isPresent(camera), let known = try? await self.known(of: camera) else { return }
    _ = abilities(known)
    _ = try? await automation.set(request)
    automationChanged()
  }

  /// What the software found is to stay, as if somebody had set it.
  public func keep(_ settings: [Setting]) async {
    await context.gates.enterToCleanUp(.settings)
    defer { context.gates.leave(.settings) }
    guard let known = controls.known else { return }
    context.kept.update { memory in
      for control in known.controls(of: Set(settings)) {
        if let number = known.numbers[control.id] { memory.controls.note(control, .integer(number)) }
      }
    }
  }
}

extension SoftwareRequest {
  /// Values that the software finds from here on: what was set of them before does not come back.
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
