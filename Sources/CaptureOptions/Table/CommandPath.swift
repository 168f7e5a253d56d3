/// The commands from the root to one of them.
extension [Command] {
  /// The options that may be given to the last command: its own, and those of the commands above it.
  var validOptions: [OptionDescription] { inheritedOptions + (last?.options ?? []) }

  /// Those of the commands above it. A command that also runs alone has its options for that: the commands below it have only those that print something.
  private var inheritedOptions: [OptionDescription] {
    dropLast().flatMap { command in
      command.runsAlone ? command.options.filter { Program.pages.contains($0.name) } : command.options
    }
  }

  /// What help and completions show of them.
  var visibleOptions: [OptionDescription] { validOptions.filter { !$0.isHidden } }
  var visibleInheritedOptions: [OptionDescription] { inheritedOptions.filter { !$0.isHidden } }
}
