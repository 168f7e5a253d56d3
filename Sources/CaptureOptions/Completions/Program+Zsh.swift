extension Program {
  /// A script for zsh: a file named `_PROGRAM` on `$fpath`.
  var zshCompletions: String {
    let functions = commandPaths.map(zshFunction).joined(separator: "\n")
    return """
      #compdef \(name)
      # zsh completion for \(name), generated from its table of options.

      \(functions)
      if [[ $funcstack[1] == _\(name) ]]; then
        _\(function) "$@"
      else
        compdef _\(function) \(name)
      fi

      """
  }

  /// One function a command: its options, then its arguments or the function of the command below it.
  private func zshFunction(_ path: [Command]) -> String {
    let command = path[path.count - 1]
    let function = ([self.function] + path.dropFirst().map(\.name)).joined(separator: "_")
    var specs = path.flatMap(\.visibleOptions).flatMap { option in
      option.spellings.map { spelling in
        let value = option.placeholder.map { ":\(quoted($0)):\(zshAction(option.completion))" } ?? ""
        let star = option.isRepeatable ? "*" : ""
        let equals = option.isFlag ? "" : spelling.hasPrefix("--") ? "=" : "+"
        return "'\(star)\(spelling)\(equals)[\(quoted(option.help))]\(value)'"
      }
    }
    guard !command.commands.isEmpty else {
      specs += command.positionals.enumerated().map { index, positional in
        let place = positional.isRepeated ? "*" : "\(index + 1)"
        return "'\(place):\(quoted(positional.name)):\(zshAction(positional.completion))'"
      }
      return """
        _\(function)() {
          _arguments -s -S \\
            \(specs.joined(separator: " \\\n    "))
        }

        """
    }
    specs += ["'1:command:->command'", "'*::argument:->argument'"]
    let names = command.commands.map { "'\($0.name):\(quoted($0.summary))'" }
    return """
      _\(function)() {
        local curcontext="$curcontext" state line
        local -a commands
        typeset -A opt_args
        _arguments -C -S \\
          \(specs.joined(separator: " \\\n    "))
        case $state in
          command)
            commands=(
              \(names.joined(separator: "\n        "))
            )
            _describe command commands
            ;;
          argument)
            (( $+functions[_\(function)_$line[1]] )) && _\(function)_$line[1]
            ;;
        esac
      }

      """
  }

  private func zshAction(_ completion: Completion) -> String {
    switch completion {
    case .none: " "
    case .files: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .program(let arguments):
      "{local -a found; found=(${(f)\"$(\(([name] + arguments).joined(separator: " ")) 2>/dev/null)\"}); compadd -a found}"
    }
  }

  /// Text inside single quotes and inside `[ ]` of a specification.
  private func quoted(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "'": result += "'\\''"
      case "[", "]", ":", "\\": result += "\\\(character)"
      default: result.append(character)
      }
    }
  }
}
