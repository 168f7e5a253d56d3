import CaptureClient
import CaptureOptions

@Sendable func watchLibrary(_ context: CommandContext) async throws {
  let arguments = context.arguments
  let changes = try await context.library.changes(from: arguments[Options.fromToken], context.assetFilter())
  for try await change in changes {
    change.resumption?.tell("changes")
    let document: JSON = [
      "event": change.kind.rawValue,
      "asset": change.asset.map { change.kind == .deleted ? ["id": $0.id] : $0.json }, "token": change.token,
      "resumption": change.resumption,
    ]
    try context.print(document, text: line(change.value))
    if let command = arguments[Options.execute], change.kind != .current {
      try await ShellCommand.run(command, variables(of: change.value, arguments))
    }
  }
}

/// What the command of --exec has of a change; and the node, so that what it runs talks to the one that is watched.
private func variables(of change: LibraryChange, _ arguments: Arguments) -> [String: String] {
  var variables = [
    "CAPTURE_EVENT": change.kind.rawValue, "CAPTURE_ASSET": change.asset?.id ?? "",
    "CAPTURE_TOKEN": change.token,
  ]
  variables["CAPTURE_NODE"] = arguments[Options.node]?.description
  variables["CAPTURE_CREDENTIAL_FILE"] = arguments[Options.credentialFile]
  return variables
}

private func line(_ change: LibraryChange) -> String {
  switch change.kind {
  case .current: return ""
  case .reset: return "reset: list the pictures again\n"
  case .deleted: return "deleted \(change.asset?.id ?? "")\n"
  case .added, .changed:
    guard let asset = change.asset else { return "" }
    let labels = asset.labels.isEmpty ? "" : "  \(asset.labels.joined(separator: ", "))"
    let size = asset.size.map { "  \($0)" } ?? ""
    return "\(change.kind.rawValue) \(asset.id)\(size)  \(bytesText(asset.bytes))\(labels)\n"
  }
}
