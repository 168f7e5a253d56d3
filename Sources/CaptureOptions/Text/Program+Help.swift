extension Program {
  /// Help of the program itself, 80 columns wide.
  public var help: String { help(for: [root]) }

  /// Help of the command at the end of `path`, which starts at the root.
  func help(for path: [Command]) -> String {
    let width = 80
    guard let command = path.last else { return "" }
    var lines = wrapped(command.summary, width: width)
    for paragraph in command.discussion { lines += [""] + wrapped(paragraph, width: width) }
    lines += ["", "Usage: \(usage(of: path))"]

    func section(_ title: String, _ rows: [(label: String, text: String)]) {
      if !rows.isEmpty { lines += ["", title] + twoColumns(rows, width: width) }
    }
    section("Arguments:", command.positionals.map { ($0.name, $0.help) })
    section("Commands:", command.commands.map { ($0.name, $0.summary) })
    section("Options:", command.visibleOptions.map { ($0.label, $0.fullHelp) })
    if path.count > 1 {
      section("Options of every command:", path.visibleInheritedOptions.map { ($0.label, $0.fullHelp) })
    }
    if !command.examples.isEmpty {
      lines += ["", "Examples:"]
      for example in command.examples {
        lines += ["  \(example.line)"]
        lines += wrapped(example.explanation, width: width - 6).map { "      \($0)" }
      }
    }
    if path.count == 1, !command.commands.isEmpty {
      lines += ["", "'\(name) COMMAND --help' says more about a command."]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// "capturectl stream [OPTIONS] CAMERA"
  func usage(of path: [Command]) -> String {
    guard let command = path.last else { return "" }
    var words = path.map(\.name) + ["[OPTIONS]"] + command.positionals.map(\.usage)
    if !command.commands.isEmpty { words.append("COMMAND") }
    return words.joined(separator: " ")
  }
}
