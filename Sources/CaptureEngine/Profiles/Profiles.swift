import CaptureModel

/// A camera's named set of settings.
public struct SavedProfile: Sendable {
  public var name: String
  /// The settings that the profile sets; `nil` while the camera is not there.
  public var settings: CameraSettings?
  /// How many values of the driver's controls the profile has.
  public var controls: Int
}

/// A device's named sets of settings.
public final class Profiles {
  private let context: DeviceContext
  private let settings: DeviceSettings

  init(_ context: DeviceContext, _ settings: DeviceSettings) {
    (self.context, self.settings) = (context, settings)
  }

  /// The change that waits for the disk: the profile's name, and what it was before; `nil`: none waits.
  private var waiting: (name: String, before: CameraProfile?)?

  private var name: String { context.camera.name }

  /// The profiles as callers know them. A change that the disk may yet refuse is not among them.
  private var saved: [String: CameraProfile] {
    var profiles = context.saved.memory.profiles
    if let waiting { profiles[waiting.name] = waiting.before }
    return profiles
  }

  /// Saves the camera's present settings: the values of all controls that can be set now and that keep them, the node's own modes that are on, with
  /// their points, its zoom and torch, and the bounds of the frame duration.
  ///
  /// Throws `invalidArgument` for an invalid name, `alreadyExists` for a used one unless `replaces` is true, `unavailable` where it could not be
  /// written to the disk, and the driver's error where a control cannot be read.
  public func save(_ name: String, replaces: Bool) async throws(CaptureError) -> SavedProfile {
    try ProfileName.validate(name)
    let profile = try await readInTurn()
    try await context.gates.storing.enter()
    defer { context.gates.storing.leave() }
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

  /// Reads the camera's settings, in turn with tasks that change them. Those tasks do not wait for the disk.
  private func readInTurn() async throws(CaptureError) -> CameraProfile {
    // The light of a photo goes out first, so that it is not saved.
    try await context.gates.flash.enter()
    defer { context.gates.flash.leave() }
    try await context.gates.settings.enter()
    defer { context.gates.settings.leave() }
    return try await settings.profile(of: context.camera.required())
  }

  /// Sets everything in a profile, or nothing. Throws `notFound`, which lists the profiles, `failedPrecondition`, which names what the camera no
  /// longer has, and the errors of ``DeviceSettings/set(_:controls:clamping:)``.
  public func load(_ name: String) async throws(CaptureError) -> SettingsOutcome {
    let (outcome, transaction) = try await loadInTurn(name)
    try await settings.applyFrameDuration(of: transaction)
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
    return try await settings.apply(profile, named: name, to: camera)
  }

  /// The profiles, by name.
  public func list() -> [SavedProfile] {
    saved.sorted { $0.key < $1.key }.map { profile($0.key, $0.value) }
  }

  /// Deletes a profile. Throws `notFound`, which lists the profiles, and `unavailable` where the disk could not be written.
  public func delete(_ name: String) async throws(CaptureError) {
    try await context.gates.storing.enter()
    defer { context.gates.storing.leave() }
    _ = try existing(name)
    try await store(nil, named: name, orElse: "the profile '\(name)' was not deleted")
  }

  /// Stores a profile, or removes it, and returns once that would survive a power cut. Until then, and if it fails, the former one is there. The
  /// caller holds the gate `storing`.
  private func store(_ profile: CameraProfile?, named name: String, orElse text: String)
    async throws(CaptureError)
  {
    let before = saved[name]
    waiting = (name: name, before: before)
    defer { waiting = nil }
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

  private func profile(_ name: String, _ profile: CameraProfile) -> SavedProfile {
    SavedProfile(
      name: name, settings: settings.settings(in: profile), controls: profile.controls.entries.count)
  }
}
