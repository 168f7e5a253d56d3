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

  /// Keeps the camera's settings as they are: the values of all controls that can be set now and keep them.
  ///
  /// Throws `invalidArgument` for a bad name, `alreadyExists` unless it `replaces`, `unavailable` where it could not be written to the disk.
  public func saveProfile(_ name: String, replaces: Bool) async throws(CaptureError) -> SavedProfile {
    try ProfileName.validate(name)
    let camera = try presentCamera()
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

  /// Sets what a profile holds, all of it or nothing. Throws `notFound` naming those there are, and as ``set(_:controls:clamping:)``.
  public func loadProfile(_ name: String) async throws(CaptureError) -> SettingsOutcome {
    try await settingTurn.enter()
    defer { settingTurn.leave() }
    let profile = try knownProfile(name)
    let camera = try presentCamera()
    let known = try await knownControls(of: camera)
    var plan = try SettingsPlan(profile: name, profile, of: self.name, list: known.list)
    // The driver has the modes from here on, or the profile's values hold.
    plan.software = settingsState.software == nil ? SoftwareRequest() : .release
    plan.asked = settingsState.asked
    try CaptureError.checkCancellation()
    return try await perform(plan, with: known, on: camera).outcome
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

  private func knownProfile(_ name: String) throws(CaptureError) -> ControlMemory {
    if let profile = memory.profiles[name] { return profile }
    let names = memory.profiles.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .notFound,
      "\(self.name) has no profile '\(name)'; \(names.isEmpty ? "none was saved" : "there are: \(names)")")
  }

  private func settingsToKeep(of camera: any Camera) async throws(CaptureError) -> ControlMemory {
    var profile = ControlMemory()
    let kept = try await camera.controls().filter {
      $0.keepsValue && $0.isReadable
        && $0.flags.isDisjoint(with: [.readOnly, .inactive, .disabled, .grabbed, .modifyLayout])
    }
    // A colour temperature sets balances too, so it goes before them.
    let controls =
      kept.filter { $0.id == .whiteBalanceTemperature } + kept.filter { $0.id != .whiteBalanceTemperature }
    let values = try await camera.values(of: controls.map(\.id))
    for (control, value) in zip(controls, values) { profile.note(control, value) }
    return profile
  }

  private func profile(_ name: String, _ profile: ControlMemory) -> SavedProfile {
    var numbers = SettingsMap.Numbers()
    for entry in profile.entries { numbers[entry.id] = entry.value.number }
    return SavedProfile(
      name: name, settings: settingsState.known?.map.settings(numbers), controls: profile.entries.count)
  }
}
