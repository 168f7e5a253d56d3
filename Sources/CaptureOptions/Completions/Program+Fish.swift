extension Program {
  /// A script for fish.
  var fishCompletions: String {
    let lines = [
      "# fish completion for \(name), generated from its table of options."
    ]
    let namesFunction = [
      "function __\(functionPrefix)_names", "    set -l words (commandline -opc)", "    set -e words[1]",
      "    set -l fragment (commandline -ct | string unescape)",
      "    \(name) \(Self.completionCommand) $words \"$fragment\" 2>/dev/null", "end",
    ]
    return
      (lines + (hasNames ? namesFunction : []) + ["complete -c \(name) -f"] + commandPaths.flatMap(fishLines))
      .joined(separator: "\n") + "\n"
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
    lines += fishActions(command).map { "complete -c \(name)\(here)\($0)" }
    return lines
  }

  /// What fish offers for a command's arguments. Fish does not know which argument is being typed, but the program does. So a program that can be
  /// asked for names is asked also for the words of arguments that need no names.
  private func fishActions(_ command: Command) -> [String] {
    let completions = command.positionals.map(\.completion).filter { $0 != .none }
    guard hasNames else { return completions.map(fishAction) }
    let isAsked = completions.contains { $0 != .files }
    return (isAsked ? [fishAction(.program(""))] : [])
      + (completions.contains(.files) ? [fishAction(.files)] : [])
  }

  private func fishAction(_ completion: Completion) -> String {
    switch completion {
    case .none: ""
    case .files: " -F"
    case .words(let words): " -a '\(words.joined(separator: " "))'"
    case .program: " -a '(__\(functionPrefix)_names)'"
    }
  }

  private func quoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
