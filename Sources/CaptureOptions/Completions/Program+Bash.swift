extension Program {
  /// A script for bash 4.3 or newer; needs nothing else.
  var bashCompletions: String {
    let paths = commandPaths.map { path in (key: path.map(\.name).joined(separator: " "), path: path) }
    let allOptions = paths.flatMap { $0.path[$0.path.count - 1].visibleOptions }
    let withValue = Set(allOptions.filter { !$0.isFlag }.flatMap(\.spellings)).sorted()

    let valueCases = paths.flatMap { key, path in
      path[path.count - 1].visibleOptions.filter { !$0.isFlag }.map { option in
        let pattern = option.spellings.map { "'\(key)'*:\($0)" }.joined(separator: "|")
        return "\(pattern)) \(action(option.completion)) ;;"
      }
    }
    let optionCases = paths.map { key, path in
      let names = path.flatMap(\.visibleOptions).map { "--\($0.name)" }.joined(separator: " ")
      return "'\(key)') words='\(names)' ;;"
    }
    let placeCases = paths.flatMap { key, path -> [String] in
      let command = path[path.count - 1]
      if !command.commands.isEmpty {
        return ["'\(key)':*) words='\(command.commands.map(\.name).joined(separator: " "))' ;;"]
      }
      return command.positionals.enumerated().map { index, positional in
        let place = positional.isRepeated ? "*" : "\(index)"
        return "'\(key)':\(place)) \(action(positional.completion)) ;;"
      }
    }
    let commandKeys = paths.dropFirst().map { "'\($0.key)'" }.joined(separator: "|")
    return """
      # bash completion for \(name), generated from its table of options.
      _\(function)() {
        local line=${COMP_LINE:0:COMP_POINT} path=\(name) place=0 prev= words= files= cur i
        local -a typed
        read -ra typed <<< "$line"
        cur=${line##*[[:space:]]}
        [[ -n $cur ]] && unset 'typed[-1]'
        for ((i = 1; i < ${#typed[@]}; i++)); do
          prev=
          case ${typed[i]} in
            \(withValue.joined(separator: "|")))
              prev=${typed[i]}
              ((++i < ${#typed[@]})) && prev=
              ;;
            -*) ;;
            *)
              case "$path ${typed[i]}" in
                \(commandKeys.isEmpty ? "''" : commandKeys)) path="$path ${typed[i]}" ;;
                *) ((place++)) ;;
              esac
              ;;
          esac
        done
        if [[ $cur == --*=* ]]; then
          prev=${cur%%=*}
          cur=${cur#*=}
        fi
        if [[ -n $prev ]]; then
          case "$path:$prev" in
            \(valueCases.joined(separator: "\n      "))
          esac
        elif [[ $cur == -* ]]; then
          case $path in
            \(optionCases.joined(separator: "\n      "))
          esac
        else
          case "$path:$place" in
            \(placeCases.joined(separator: "\n      "))
          esac
        fi
        if [[ -n $files ]]; then
          compopt -o filenames
          mapfile -t COMPREPLY < <(compgen -f -- "$cur")
          return
        fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
        # Bash breaks words at colons, and replaces only what follows the last one.
        if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then
          COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
        fi
      }
      complete -F _\(function) \(name)

      """
  }

  /// The shell code that sets `words` or `files`.
  private func action(_ completion: Completion) -> String {
    switch completion {
    case .none: ":"
    case .files: "files=1"
    case .words(let words): "words='\(words.joined(separator: " "))'"
    case .program(let arguments):
      "words=$(\(([name] + arguments).joined(separator: " ")) 2>/dev/null)"
    }
  }

  /// The name as part of a shell function's.
  var function: String { name.replacing("-", with: "_") }
}

extension OptionDescription {
  /// "--output", "-o"
  var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}
