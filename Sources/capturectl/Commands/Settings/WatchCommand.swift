import CaptureClient

/// Prints one event on each line, until Ctrl-C.
@Sendable func watchSettings(_ context: CommandContext) async throws {
  let names = context.arguments.all(Options.settingNames)
  for try await event in context.camera.settingsEvents(names: names) {
    event.resumption?.tell("settings")
    try context.print(
      JSON(event.value, isWhole: names.isEmpty).adding(["resumption": event.resumption]),
      text: text(event.value))
  }
}

private func text(_ event: SettingsEvent) -> String {
  let values = event.controls.map { control in
    let value = control.value.map { "\(JSON($0))" } ?? ""
    return "\(control.name) \(value)".printable + "\n"
  }
  let rest = values.joined() + text(event.settings, .all)
  // The first event has the present settings and reports no change, so it gets no line about one.
  guard !event.changed.isEmpty || event.change != 0 || event.frame != nil else { return rest }
  var line = (event.changed + event.controls.map(\.name)).joined(separator: ", ")
  if event.change != 0 { line += ", change \(event.change)" }
  if let frame = event.frame { line += ", from frame \(frame.sequence) on (\(event.provenance.word))" }
  return "\(line.printable):\n\(rest)"
}

extension JSON {
  /// `isWhole`: everything is watched. Otherwise groups that were not asked for are left out, since `null` would say that the camera has none.
  fileprivate init(_ event: SettingsEvent, isWhole: Bool) {
    let settings = JSON(event.settings)
    self = [
      "changed": event.changed, "change": event.change, "frame": event.frame,
      "provenance": event.provenance.word, "settings": isWhole ? settings : settings.withoutNulls,
      "controls": event.controls.map { ["name": $0.name, "value": $0.value] as JSON },
    ]
  }
}
