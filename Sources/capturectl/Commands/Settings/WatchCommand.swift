import CaptureClient
import CaptureWire

/// One event a line, until Ctrl-C.
@Sendable func watchSettings(_ context: CommandContext) async throws {
  let names = context.arguments.all(Options.settingNames)
  for try await event in try await context.node.watchSettings(of: context.camera, names: names) {
    try context.print(JSON(event), text: text(event))
  }
}

private func text(_ event: RemoteSettingsEvent) -> String {
  let settings = event.settings.map { text($0, .all) } ?? ""
  guard !event.changed.isEmpty else { return settings }
  var line = event.changed.joined(separator: ", ")
  if event.change != 0 { line += ", change \(event.change)" }
  if let frame = event.frame { line += ", from frame \(frame.sequence) on (\(event.provenance.word))" }
  let controls = event.controls.map {
    "\($0.name) \(($0.value.flatMap { try? $0.model() }).map { "\(JSON($0))" } ?? "")"
  }
  return ([line + ":"] + controls).map { "\($0.printable)\n" }.joined() + settings
}

extension JSON {
  fileprivate init(_ event: RemoteSettingsEvent) {
    self = [
      "changed": .array(event.changed.map(JSON.string)), "change": JSON(event.change),
      "frame": Self.frame(event.frame), "provenance": .string(event.provenance.word),
      "settings": event.settings.map { JSON($0) } ?? .null,
      "controls": .array(
        event.controls.map { ["name": .string($0.name), "value": JSON(try? $0.value?.model())] }),
    ]
  }
}
