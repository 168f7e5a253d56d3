import CaptureModel

/// A camera's named set of settings.
public struct SavedProfile: Sendable {
  public var name: String
  /// What it sets; `nil` while the camera is not there.
  public var settings: CameraSettings?
  /// How many values of the driver's controls it holds.
  public var controls: Int
}

extension DeviceController {
  private static let mostProfiles = 100

  /// Keeps the camera's settings as they are: the values of all controls that can be set now and keep them, the node's own modes that are on, with
  /// their points, its zoom and torch, and the bounds of frames' duration.
  ///
  /// Throws `invalidArgument` for a bad name, `alreadyExists` unless it `replaces`, `unavailable` where it could not be written to the disk.
  public func saveProfile(_ name: String, replaces: Bool) async throws(CaptureError) -> SavedProfile {
    try ProfileName.validate(name)
    let camera = try presentCamera()
    // A photo's light is nothing to keep.
    try await flashTurn.enter()
    defer { flashTurn.leave() }
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let profile = try await settingsToKeep(of: camera)
    if memory.profiles[name] != nil, !replaces {
      throw CaptureError(
        .alreadyExists, "\(self.name) has a profile '\(name)' already; --replace writes over it")
    }
    guard memory.profiles[name] != nil || memory.profiles.count < Self.mostProfiles else {
      throw CaptureError(
        .resourceExhausted, "\(self.name) has \(Self.mostProfiles) profiles, the most; delete one of them")
    }
    memory.profiles[name] = profile
    try await store.flush()
    return self.profile(name, profile)
  }

  /// Sets what a profile holds, all of it or nothing. Throws `notFound` naming those there are, `failedPrecondition` naming what of it the camera
  /// has no longer, and as ``set(_:controls:clamping:)``.
  public func loadProfile(_ name: String) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, undo) = try await loadInTurn(name)
    if undo.hasFrameDuration { try await keepToFrameDuration(of: undo) }
    return outcome
  }

  private func loadInTurn(_ name: String) async throws(CaptureError) -> (SettingsOutcome, SettingsUndo) {
    try await flashTurn.enter()
    defer { flashTurn.leave() }
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let profile = try knownProfile(name)
    let camera = try presentCamera()
    let known = try await knownControls(of: camera)
    var plan = try SettingsPlan(profile: name, profile.controls, of: self.name, list: known.list)
    let zooms = ownZoomKind(known) != nil
    try profile.check(
      name, of: self.name, abilities(known), hasZoom: zooms, hasLamp: settingsState.lamp != nil)
    // The driver has the modes from here on, or the profile's values hold, but where it says otherwise.
    let software = profile.software?.request ?? .release
    plan.software = settingsState.software == nil ? SoftwareRequest() : software
    plan.asked = settingsState.asked
    if let mode = profile.exposureMode { plan.asked.exposureMode = mode }
    plan.asked.balancesByGains = profile.controls.balancesByGains
    let before = settingsState.frameDuration
    // Those that it has already need no look at the stream.
    let wanted = profile.frameDuration.flatMap { $0 == before ?? SettingsChange.FrameDuration() ? nil : $0 }
    var strict = Clamping(false)
    if let wanted { _ = try await bounds(wanted, &strict) }
    try CaptureError.checkCancellation()
    let lampLevel = settingsState.lamp == nil ? nil : profile.torchLevel
    let own = NodePart(
      lamp: lampLevel.map { Lamp.Change(level: $0, isAutomatic: false) }, flash: profile.flash,
      zoom: zooms ? profile.zoom : nil, frameDuration: wanted, takesTorch: true)
    var done = try await perform(
      plan, with: known, own: own, promises: wanted == nil || stream == nil ? [] : [.frameDuration],
      on: camera)
    // A zoom that is on its way would go on from the profile's.
    begin(nil)
    report(into: &done.outcome.settings, settingsState.known ?? known)
    softwareChanged()
    return (done.outcome, done.undo)
  }

  /// By name.
  public func profiles() -> [SavedProfile] {
    memory.profiles.sorted { $0.key < $1.key }.map { profile($0.key, $0.value) }
  }

  /// Throws `notFound` naming those there are, `unavailable` where the disk could not be written.
  public func deleteProfile(_ name: String) async throws(CaptureError) {
    _ = try knownProfile(name)
    memory.profiles[name] = nil
    try await store.flush()
  }

  private func knownProfile(_ name: String) throws(CaptureError) -> CameraProfile {
    if let profile = memory.profiles[name] { return profile }
    let names = memory.profiles.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .notFound,
      "\(self.name) has no profile '\(name)'; \(names.isEmpty ? "none was saved" : "there are: \(names)")")
  }

  private func settingsToKeep(of camera: any Camera) async throws(CaptureError) -> CameraProfile {
    var profile = CameraProfile()
    profile.controls = try await controlsToKeep(of: camera)
    let known = try await knownControls(of: camera)
    var settings = known.map.settings(known.numbers, asked: settingsState.asked)
    report(into: &settings, known)
    profile.exposureMode = settingsState.asked.exposureMode
    if settingsState.software != nil {
      profile.software = CameraProfile.Software(settings, abilities(known))
    }
    if ownZoomKind(known) != nil { profile.zoom = settingsState.ownZoom }
    profile.torchLevel = settingsState.lamp?.level
    profile.flash = settingsState.flashMode
    if settings.torch?.isSoftware == true {
      // It begins dark.
      if profile.torchLevel != nil { profile.torchLevel = 0 }
      for (control, number) in known.map.torchOff { profile.controls.note(control, .integer(number)) }
    }
    profile.frameDuration = settingsState.frameDuration ?? SettingsChange.FrameDuration()
    return profile
  }

  private func controlsToKeep(of camera: any Camera) async throws(CaptureError) -> ControlMemory {
    var memory = ControlMemory()
    let kept = try await camera.controls().filter {
      $0.keepsValue && $0.isReadable
        && $0.flags.isDisjoint(with: [.readOnly, .inactive, .disabled, .grabbed, .modifyLayout])
    }
    // A colour temperature sets balances too, so it goes before them.
    let controls =
      kept.filter { $0.id == .whiteBalanceTemperature } + kept.filter { $0.id != .whiteBalanceTemperature }
    let values = try await camera.values(of: controls.map(\.id))
    for (control, value) in zip(controls, values) { memory.note(control, value) }
    return memory
  }

  private func profile(_ name: String, _ profile: CameraProfile) -> SavedProfile {
    var numbers = SettingsMap.Numbers()
    for entry in profile.controls.entries { numbers[entry.id] = entry.value.number }
    var asked = SettingsMap.Asked()
    asked.exposureMode = profile.exposureMode
    asked.balancesByGains = profile.controls.balancesByGains
    var settings = settingsState.known?.map.settings(numbers, asked: asked)
    if settings != nil { profile.report(into: &settings!) }
    if let zoom = profile.zoom {
      settings?.zoom = CameraSettings.Zoom(
        factor: Observed(zoom, .reported), kind: settingsState.known.flatMap(ownZoomKind) ?? .digital)
    }
    return SavedProfile(name: name, settings: settings, controls: profile.controls.entries.count)
  }
}
