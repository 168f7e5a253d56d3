import CaptureClient

extension CommandContext {
  /// SESSION, as it was typed. Only for commands whose table has it.
  var session: Session { node.session(arguments[Options.session]!) }
}

@Sendable func listSessions(_ context: CommandContext) async throws {
  let sessions = try await context.node.sessions()
  if context.arguments[Options.sessionNames] {
    return try context.print(
      ["names": sessions.map(\.name)],
      text: sessions.map { "\($0.name.printable)\n" }.joined())
  }
  try context.print(["sessions": sessions], text: sessionTable(sessions))
}

@Sendable func showSession(_ context: CommandContext) async throws {
  try await printSession(try await context.session.status(), context)
}

@Sendable func startSession(_ context: CommandContext) async throws {
  try await printSession(try await context.session.start(), context)
}

@Sendable func stopSession(_ context: CommandContext) async throws {
  try await printSession(try await context.session.stop(), context)
}

@Sendable func closeSession(_ context: CommandContext) async throws {
  try await context.session.close()
  try context.print(["session": context.session.name], text: "")
}

@Sendable func watchSession(_ context: CommandContext) async throws {
  for try await event in context.session.events() {
    event.resumption?.tell("events")
    try context.print(
      JSON(event.value).adding(["resumption": event.resumption]), text: sessionLine(event.value))
  }
}

/// Prints a session's state, and the bounds that keep its cameras from the requested rates.
func printSession(_ status: SessionStatus, _ context: CommandContext) async throws {
  let bounds = await context.node.rateBounds(of: status)
  try context.print(JSON(status, bounds), text: sessionText(status, bounds))
}
