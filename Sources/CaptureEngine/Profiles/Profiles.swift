import CaptureControls
import CaptureModel

/// A camera's named set of settings.
public struct SavedProfile: Sendable {
  public var name: String
  /// The settings that it sets; `nil` while the camera is not there.
  public var settings: CameraSettings?
  /// How many values of the driver's controls it has.
  public var controls: Int
}

/// A device's named sets of settings.
public final class Profiles {
  private let context: DeviceContext
  private let settings: DeviceSettings

  init(_ context: DeviceContext, _ settings: DeviceSettings) {
    (self.context, self.settings) = (context, settings)
  }

  private var name: String { context.camera.name }
  private var saved: [String: CameraProfile] { context.saved.memory.profiles }

  /// Saves the camera's present settings: the values of all controls that can be set now and that keep them, the node's own modes that are on, with
  /// their points, its zoom and torch, and the bounds of the frame duration.
  ///
  /// Throws `invalidArgument` for an invalid name, `alreadyExists` for a used one unless `replaces` is true, and `unavailable` where it could not be
  /// written to the disk.
  public func save(_ name: String, replaces: Bool) async throws(CaptureError) -> SavedProfile {
    try ProfileName.validate(name)
    let camera = try context.camera.required()
    // The light of a photo is not saved.
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    let profile = try await settingsToKeep(of: camera)
    if saved[name] != nil, !replaces {
      throw CaptureError(
        .alreadyExists,
        "\(self.name) has a profile '\(name)' already; take another name, or write over it (replace)",
        .init(.nameTaken, field: "name", asked: .text(name)))
    }
    guard saved[name] != nil || saved.count < NodeLimit.profilesPerCamera.usual else {
      throw NodeLimit.profilesPerCamera.exceeded(
        "\(self.name) has \(saved.count) profiles, the most; delete one of them")
    }
    try await store(profile, named: name, orElse: "the profile '\(name)' was not saved")
    return self.profile(name, profile)
  }

  /// Sets everything in a profile, or nothing. Throws `notFound`, which lists the profiles, `failedPrecondition`, which names what the camera no longer
  /// has, and the errors of ``DeviceSettings/set(_:controls:clamping:)``.
  public func load(_ name: String) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, transaction) = try await loadInTurn(name)
    try await settings.keepToFrameDuration(of: transaction)
    return outcome
  }

  private func loadInTurn(_ name: String) async throws(CaptureError)
    -> (SettingsOutcome, SettingsTransaction)
  {
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    let profile = try existing(name)
    let camera = try context.camera.required()
    let known = try await settings.known(of: camera)
    var transaction = try await self.transaction(name, profile, known)
    try CaptureError.checkCancellation()
    var outcome = try await settings.apply(&transaction, on: camera)
    // Otherwise a zoom that is on its way would continue from the profile's.
    settings.replaceRamp(with: nil)
    settings.report(into: &outcome.settings, settings.controls.known ?? known)
    settings.automationChanged()
    return (outcome, transaction)
  }

  private func transaction(
    _ name: String, _ profile: CameraProfile, _ known: KnownControls
  ) async throws(CaptureError) -> SettingsTransaction {
    var plan = try SettingsPlan(profile: name, profile.controls, of: self.name, list: known.list)
    let (zooms, hasLamp) = (settings.zoom.kind(known) != nil, settings.lights.hasLamp)
    try profile.check(name, of: self.name, settings.abilities(known), hasZoom: zooms, hasLamp: hasLamp)
    // From here on the driver has the modes, or the profile's values hold, unless the profile gives a mode to the node.
    if settings.automation.software != nil { plan.software = profile.software?.request ?? .release }
    plan.asked = settings.asked
    if let mode = profile.exposureMode { plan.asked.exposureMode = mode }
    plan.asked.gainsWereSetLast = profile.controls.gainsWereSetLast
    var transaction = settings.transaction(plan, by: .client, known)
    if hasLamp {
      transaction.lamp = profile.torchLevel.map { Lamp.Change(level: $0, isAutomatic: false) }
    }
    (transaction.flash, transaction.takesTorch) = (profile.flash, true)
    if zooms { transaction.zoom = profile.zoom }
    // If the bounds are set already, the stream need not be checked.
    let bounds = settings.frameDuration.bounds ?? SettingsChange.FrameDuration()
    guard let wanted = profile.frameDuration, wanted != bounds else { return transaction }
    var strict = Clamping(false)
    transaction.frameDuration = try await settings.frameDuration.plan(wanted, &strict)
    if context.stream.active != nil { transaction.promises = [.frameDuration] }
    return transaction
  }

  /// The profiles, by name.
  public func list() -> [SavedProfile] {
    saved.sorted { $0.key < $1.key }.map { profile($0.key, $0.value) }
  }

  /// Deletes a profile. Throws `notFound`, which lists the profiles, and `unavailable` where the disk could not be written.
  public func delete(_ name: String) async throws(CaptureError) {
    _ = try existing(name)
    try await store(nil, named: name, orElse: "the profile '\(name)' was not deleted")
  }

  /// Stores a profile, or removes it, and returns once that would survive a power cut. If that fails, the former one stays.
  private func store(_ profile: CameraProfile?, named name: String, orElse text: String)
    async throws(CaptureError)
  {
    let before = saved[name]
    context.saved.update { $0.profiles[name] = profile }
    do throws(CaptureError) {
      try await context.saved.flush()
    } catch {
      context.saved.update { $0.profiles[name] = before }
      throw error.prefixed(text)
    }
  }

  private func existing(_ name: String) throws(CaptureError) -> CameraProfile {
    if let profile = saved[name] { return profile }
    let names = saved.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .notFound,
      "\(self.name) has no profile \(name.quoted); \(names.isEmpty ? "none was saved" : "there are: \(names)")",
      .init(.unknownName, field: "name", asked: .text(name), possible: saved.keys.sorted())
    )
  }

  private func settingsToKeep(of camera: any Camera) async throws(CaptureError) -> CameraProfile {
    var profile = CameraProfile()
    profile.controls = try await controlsToKeep(of: camera)
    let known = try await settings.known(of: camera)
    let now = settings.reported(known)
    profile.exposureMode = settings.asked.exposureMode
    if settings.automation.software != nil {
      profile.software = CameraProfile.Software(now, settings.abilities(known))
    }
    if settings.zoom.kind(known) != nil { profile.zoom = settings.zoom.factor }
    profile.torchLevel = settings.lights.lampLevel
    profile.flash = settings.lights.flashMode
    if now.torch?.isSoftware == true {
      // An automatic torch begins dark.
      if profile.torchLevel != nil { profile.torchLevel = 0 }
      for (control, number) in known.map.torchOff { profile.controls.note(control, .integer(number)) }
    }
    profile.frameDuration = settings.frameDuration.bounds ?? SettingsChange.FrameDuration()
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
    asked.gainsWereSetLast = profile.controls.gainsWereSetLast
    let known = self.settings.controls.known
    var settings = known?.map.settings(numbers, asked: asked)
    if settings != nil { profile.report(into: &settings!) }
    if let zoom = profile.zoom {
      settings?.zoom = CameraSettings.Zoom(
        factor: Observed(zoom, .reported), kind: known.flatMap(self.settings.zoom.kind) ?? .digital)
    }
    return SavedProfile(name: name, settings: settings, controls: profile.controls.entries.count)
  }
}
