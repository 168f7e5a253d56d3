extension Program {
  /// The program's manual page, section 1, in roff's man macros.
  public var manPage: String {
    var lines = [
      ".\\\" Generated from the program's table of options; do not edit.",
      ".TH \(roff(name.uppercased())) 1 \"\" \"RemoteCapture \(version)\" \"User Commands\"",
      ".SH NAME", "\(roff(name)) \\- \(roff(lowercasedFirst(root.summary)))",
      ".SH SYNOPSIS", ".B \(roff(usage(of: [root])))",
      ".SH DESCRIPTION",
    ]
    lines += [roff(root.summary)]
    for paragraph in root.discussion { lines += [".PP", roff(paragraph)] }
    lines += [".SH OPTIONS"] + tagged(root.visibleOptions)
    lines += tagged(root.positionals)
    if !root.commands.isEmpty {
      lines += [".SH COMMANDS"] + root.commands.flatMap { section(of: [root, $0]) }
    }
    let variables =
      root.options.compactMap { option in
        option.environment.map { (name: $0, meaning: "Taken for --\(option.name) where that is not given.") }
      } + environment
    lines += list("ENVIRONMENT", variables.map { (roff($0.name), $0.meaning) })
    lines += list("EXIT STATUS", exitStatuses.map { ("\($0.status)", $0.meaning) })
    lines += list("EXAMPLES", root.examples.map { (roff($0.line), $0.explanation) })
    if !seeAlso.isEmpty { lines += [".SH SEE ALSO", seeAlso.map(roff).joined(separator: ", ")] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The section of a command or, where it has commands below it, the sections of those.
  private func section(of path: [Command]) -> [String] {
    guard let command = path.last else { return [] }
    if !command.commands.isEmpty { return command.commands.flatMap { section(of: path + [$0]) } }
    let title = (path.dropFirst().map(\.name) + command.positionals.map(\.usage)).joined(separator: " ")
    var lines = [".SS \(roff(title))", roff(command.summary)]
    for paragraph in command.discussion { lines += [".PP", roff(paragraph)] }
    lines += tagged(command.positionals) + tagged(command.visibleOptions)
    for example in command.examples {
      lines += [".PP", "Example:", ".EX", "    \(roff(example.line))", ".EE", roff(example.explanation)]
    }
    return lines
  }

  private func tagged(_ options: [OptionDescription]) -> [String] {
    options.flatMap { [".TP", ".B \(roff($0.label))", roff($0.fullHelp)] }
  }

  private func tagged(_ positionals: [PositionalDescription]) -> [String] {
    positionals.flatMap { [".TP", ".I \(roff($0.name))", roff($0.help)] }
  }

  private func list(_ title: String, _ rows: [(label: String, text: String)]) -> [String] {
    rows.isEmpty ? [] : [".SH \(title)"] + rows.flatMap { [".TP", ".B \($0.label)", roff($0.text)] }
  }

  private func lowercasedFirst(_ text: String) -> String {
    let line = text.prefix(1).lowercased() + text.dropFirst()
    return line.hasSuffix(".") ? String(line.dropLast()) : line
  }
}

/// Text as roff takes it: backslashes and hyphens escaped, no line that begins like a request.
private func roff(_ text: String) -> String {
  var escaped = ""
  for character in text {
    switch character {
    case "\\": escaped += "\\e"
    case "-": escaped += "\\-"
    case "…": escaped += "..."
    default: escaped.append(character)
    }
  }
  return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
}
