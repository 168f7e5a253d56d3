extension Program {
  /// A script for bash 4.3 or newer. It needs nothing else.
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
      let names = path.visibleOptions.map { "--\($0.name)" }
      return "'\(key)') \(assignment(names)) ;;"
    }
    let placeCases = paths.flatMap { key, path -> [String] in
      let command = path[path.count - 1]
      if !command.commands.isEmpty {
        return ["'\(key)':*) \(assignment(command.commands.map(\.name))) ;;"]
      }
      return command.positionals.enumerated().map { index, positional in
        let place = positional.isRepeated ? "*" : "\(index)"
        return "'\(key)':\(place)) \(action(positional.completion)) ;;"
      }
    }
    let commandKeys = paths.dropFirst().map { "'\($0.key)'" }.joined(separator: "|")
    return #"""
      # bash completion for \#(name), generated from its table of options.
      _\#(functionPrefix)() {
        local line=${COMP_LINE:0:COMP_POINT} path=\#(name) place=0 prev= files= cur=
        local started= quote= lead= cut=0 before=0 char word i
        local -a typed=() words=()
        # The words as the shell would read them. `cut` is how much of the last one stands before the place where bash inserts.
        for ((i = 0; i < ${#line}; i++)); do
          char=${line:i:1}
          if [[ $char == "$quote" ]]; then
            quote= cut=$before
          elif [[ $char == "\\" && $quote != "'" ]]; then
            [[ -n $quote && ${line:i+1:1} != [\"\$\`\\] ]] && cur+=$char
            ((++i))
            cur+=${line:i:1} started=1
          elif [[ -n $quote ]]; then
            cur+=$char
          elif [[ $char == [\"\'] ]]; then
            quote=$char before=$cut cut=${#cur} started=1
          elif [[ $char == [[:space:]] ]]; then
            [[ -n $started ]] && typed+=("$cur")
            cur= started= cut=0
          else
            cur+=$char started=1
            [[ $COMP_WORDBREAKS == *"$char"* ]] && cut=${#cur}
          fi
        done
        for ((i = 1; i < ${#typed[@]}; i++)); do
          prev=
          case ${typed[i]} in
            \#(withValue.joined(separator: "|")))
              prev=${typed[i]}
              ((++i < ${#typed[@]})) && prev=
              ;;
            -*) ;;
            *)
              case "$path ${typed[i]}" in
                \#(commandKeys.isEmpty ? "''" : commandKeys)) path="$path ${typed[i]}" ;;
                *) ((place++)) ;;
              esac
              ;;
          esac
        done
        if [[ $cur == --*=* ]]; then
          prev=${cur%%=*}
          lead=$prev=
          cur=${cur#*=}
        fi
        if [[ -n $prev ]]; then
          case "$path:$prev" in
            \#(valueCases.joined(separator: "\n      "))
          esac
        elif [[ $cur == -* ]]; then
          case $path in
            \#(optionCases.joined(separator: "\n      "))
          esac
        else
          case "$path:$place" in
            \#(placeCases.joined(separator: "\n      "))
          esac
        fi
        COMPREPLY=()
        if [[ -n $files ]]; then
          compopt -o filenames
          mapfile -t words < <(compgen -f -- "$cur")
        fi
        for word in "${words[@]}"; do
          [[ $word == "$cur"* ]] || continue
          [[ $word == *= ]] && compopt -o nospace
          word=$lead$word
          word=${word:cut}
          case $quote$files in
            "'") word=${word//\'/\'\\\'\'} ;;
            '"')
              for char in \\ '"' '$' '`'; do word=${word//"$char"/"\\$char"}; done
              ;;
            '') [[ -n $word ]] && printf -v word %q "$word" ;;
          esac
          # Bash closes the quote, except behind a character that looks as if it did.
          [[ -n $quote && $word == *"$quote" ]] && word+=$quote
          COMPREPLY+=("$word")
        done
      }
      complete -F _\#(functionPrefix) \#(name)

      """#
  }

  /// The shell code that sets `words` or `files`.
  private func action(_ completion: Completion) -> String {
    switch completion {
    case .none: ":"
    case .files: "files=1"
    case .words(let words): assignment(words)
    case .program:
      "mapfile -t words < <(\(name) \(Self.completionCommand) \"${typed[@]:1}\" \"$lead$cur\" 2> /dev/null)"
    }
  }

  private func assignment(_ words: [String]) -> String {
    "words=(\(words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")))"
  }

  /// The beginning of the names of the program's shell functions, behind their underscores.
  var functionPrefix: String { name.replacing("-", with: "_") }
}

extension OptionDescription {
  /// "--output", "-o"
  var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}
