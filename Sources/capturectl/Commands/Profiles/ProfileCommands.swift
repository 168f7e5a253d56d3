import CaptureClient
import CaptureOptions
import CaptureWire

@Sendable func saveProfile(_ context: CommandContext) async throws {
  let profile = try await context.node.saveProfile(
    context.arguments[Options.newProfile]!, of: context.camera,
    replaces: context.arguments[Options.replace])
  try context.print(
    ["profile": json(profile)], text: "Saved '\(profile.name.printable)': \(profile.controls) controls.\n")
}

@Sendable func loadProfile(_ context: CommandContext) async throws {
  try await show(
    try await context.node.loadProfile(context.arguments[Options.profile]!, of: context.camera), .all, context
  )
}

@Sendable func listProfiles(_ context: CommandContext) async throws {
  let profiles = try await context.node.profiles(of: context.camera)
  var table = TextTable([.init("PROFILE"), .init("CONTROLS", isNumber: true)])
  for profile in profiles { table.add(profile.name, "\(profile.controls)") }
  try context.print(
    ["profiles": .array(profiles.map(json))],
    text: profiles.isEmpty ? "The camera has no profiles.\n" : table.text(width: Terminal.width))
}

@Sendable func deleteProfile(_ context: CommandContext) async throws {
  let name = context.arguments[Options.profile]!
  try await context.node.deleteProfile(name, of: context.camera)
  try context.print(["deleted": .string(name)], text: "")
}

private func json(_ profile: RemoteSettingsProfile) -> JSON {
  [
    "name": .string(profile.name), "camera": .string(profile.device), "controls": JSON(profile.controls),
    "settings": profile.settings.map { JSON($0) } ?? .null,
  ]
}
