import CaptureClient
import CaptureOptions
import CaptureSystem
import Dispatch
import Glibc

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
      try await ShellCommand.run(
        command,
        [
          "CAPTURE_EVENT": change.kind.rawValue, "CAPTURE_ASSET": change.asset?.id ?? "",
          "CAPTURE_TOKEN": change.token,
        ])
    }
  }
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

/// Runs a command with `sh` on this machine.
enum ShellCommand {
  /// Runs the command, and waits for its end. A command that fails is only reported: the next change runs it again.
  static func run(_ command: String, _ variables: [String: String]) async throws(Failure) {
    var environment = variables.map { "\($0)=\($1)" }
    var place = environ
    while let entry = place.pointee {
      let text = String(cString: entry)
      if !variables.keys.contains(where: { text.hasPrefix("\($0)=") }) { environment.append(text) }
      place += 1
    }
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
    let (words, values) = (copies(["sh", "-c", command]), copies(environment))
    defer { for text in words + values { free(text) } }
    var child = pid_t()
    let error = posix_spawn(&child, "/bin/sh", nil, nil, words, values)
    guard error == 0 else { throw Failure("cannot run sh: \(Errno(rawValue: error))") }
    let started = child
    let status = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var status: Int32 = 0
        while waitpid(started, &status, 0) < 0, errno == EINTR {}
        continuation.resume(returning: status)
      }
    }
    if status != 0 {
      let end = status & 0x7F == 0 ? "exit status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
      Terminal.printError("capturectl: the command ended with \(end)\n")
    }
  }
}
