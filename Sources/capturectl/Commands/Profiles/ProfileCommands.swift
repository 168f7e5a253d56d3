import CaptureClient
import CaptureOptions

@Sendable func saveProfile(_ context: CommandContext) async throws {
  let profile = try await context.camera.saveProfile(
    context.arguments[Options.newProfile]!,
    replaces: context.arguments[Options.replace])
  try context.print(
    ["profile": json(profile)], text: "Saved '\(profile.name.printable)': \(profile.controls) controls.\n")
}

@Sendable func loadProfile(_ context: CommandContext) async throws {
  try await show(
    try await context.camera.loadProfile(context.arguments[Options.profile]!), of: nil, .all, context)
}

@Sendable func listProfiles(_ context: CommandContext) async throws {
  let profiles = try await context.camera.profiles()
  let table = TextTable("PROFILE", .number("CONTROLS"), of: profiles) { profile in
    [profile.name, "\(profile.controls)"]
  }
  try context.print(
    ["profiles": profiles.map(json)],
    text: profiles.isEmpty ? "The camera has no profiles.\n" : table.text())
}

@Sendable func deleteProfile(_ context: CommandContext) async throws {
  let name = context.arguments[Options.profile]!
  try await context.camera.deleteProfile(name)
  try context.print(["deleted": name], text: "")
}

private func json(_ profile: SettingsProfile) -> JSON {
  [
    "name": profile.name, "camera": profile.camera.rawValue, "controls": profile.controls,
    "settings": profile.settings,
  ]
}
