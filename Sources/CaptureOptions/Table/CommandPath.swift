/// The commands from the root to one of them.
extension [Command] {
  /// The options that may be given to the last command: its own, and those of the commands above it.
  var validOptions: [OptionDescription] { inheritedOptions + (last?.options ?? []) }

  /// The options of the commands above the last one. A command that also runs alone keeps its options to itself: the commands below it have only
  /// those of its options that print something.
  private var inheritedOptions: [OptionDescription] {
    dropLast().flatMap { command in
      command.runsAlone
        ? command.options.filter { Program.printingOptions.contains($0.name) } : command.options
    }
  }

  /// The valid options that help and completions show.
  var visibleOptions: [OptionDescription] { validOptions.filter { !$0.isHidden } }
  var visibleInheritedOptions: [OptionDescription] { inheritedOptions.filter { !$0.isHidden } }
}
