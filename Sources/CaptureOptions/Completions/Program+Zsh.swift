extension Program {
  /// A script for zsh: a file named `_PROGRAM` on `$fpath`.
  var zshCompletions: String {
    let functions = commandPaths.map(zshFunction).joined(separator: "\n")
    return """
      #compdef \(name)
      # zsh completion for \(name), generated from its table of options.

      \(hasNames ? zshNames : "")\(functions)
      if [[ $funcstack[1] == _\(name) ]]; then
        _\(functionPrefix) "$@"
      else
        compdef _\(functionPrefix) \(name)
      fi

      """
  }

  /// The function that offers the names which only the program can tell.
  private var zshNames: String {
    """
    _\(functionPrefix)__names() {
      local -a found
      local result=1
      found=(${(f)"$(\(name) \(Self.completionCommand) "${(@)_\(functionPrefix)_typed[2,-1]}" 2> /dev/null)"})
      compadd "$@" -S '' -- ${(M)found:#*=} && result=0
      compadd "$@" -- ${found:#*=} && result=0
      return result
    }


    """
  }

  /// The function of one command: it offers the command's options, then its arguments, or what the function of the named command below it offers.
  private func zshFunction(_ path: [Command]) -> String {
    let command = path[path.count - 1]
    // `_arguments` changes the words for the functions below this one. So the first function keeps the words as they were typed.
    let keepingTheWords =
      path.count > 1 || !hasNames
      ? "" : "local -a _\(functionPrefix)_typed=(\"${(@Q)words[1,CURRENT-1]}\" \"${(Q)PREFIX}\")\n    "
    let function = ([functionPrefix] + path.dropFirst().map(\.name)).joined(separator: "_")
    var specs = path.visibleOptions.flatMap { option in
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
          \(keepingTheWords)_arguments -s -S \\
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
        \(keepingTheWords)_arguments -C -S \\
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
    case .program: "_\(functionPrefix)__names"
    }
  }

  /// The text, escaped to stand inside single quotes and inside `[ ]` of a specification.
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
