extension Program {
  /// A script for fish.
  var fishCompletions: String {
    let lines = [
      "# fish completion for \(name), generated from its table of options.", "complete -c \(name) -f",
    ]
    return (lines + commandPaths.flatMap(fishLines)).joined(separator: "\n") + "\n"
  }

  private func fishLines(_ path: [Command]) -> [String] {
    let command = path[path.count - 1]
    let seen = path.dropFirst().map { "__fish_seen_subcommand_from \($0.name)" }.joined(separator: "; and ")
    let here = seen.isEmpty ? "" : " -n '\(seen)'"
    var lines = command.visibleOptions.map { option in
      let short = option.short.map { " -s \($0)" } ?? ""
      let takes = option.completion == .files ? " -r" : " -x"
      let value = option.isFlag ? "" : takes + fishAction(option.completion)
      return "complete -c \(name)\(here)\(short) -l \(option.name)\(value) -d '\(quoted(option.help))'"
    }
    let names = command.commands.map(\.name).joined(separator: " ")
    let noneYet = "not __fish_seen_subcommand_from \(names)"
    lines += command.commands.map { below in
      let condition = seen.isEmpty ? noneYet : "\(seen); and \(noneYet)"
      return "complete -c \(name) -n '\(condition)' -a \(below.name) -d '\(quoted(below.summary))'"
    }
    lines += command.positionals.map(\.completion).filter { $0 != .none }.map { completion in
      "complete -c \(name)\(here)\(fishAction(completion))"
    }
    return lines
  }

  private func fishAction(_ completion: Completion) -> String {
    switch completion {
    case .none: ""
    case .files: " -F"
    case .words(let words): " -a '\(words.joined(separator: " "))'"
    case .program(let arguments):
      " -a '(\(([name] + arguments).joined(separator: " ")) 2>/dev/null)'"
    }
  }

  private func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
