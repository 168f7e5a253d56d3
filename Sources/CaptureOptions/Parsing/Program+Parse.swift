import CaptureModel

extension Program {
  /// Reads a command line, without the program's name.
  ///
  /// It takes `--name value`, `--name=value`, `-n value` and `-nvalue`; `--` ends the options. A program's options may stand before or after its
  /// commands. `environment` gives the value of a variable.
  public func parse(
    _ words: [String], environment: (String) -> String?
  ) throws(UsageError) -> Invocation {
    var parser = Parser(program: self, words: words[...])
    return try parser.run(environment)
  }
}

private struct Parser {
  let program: Program
  var words: ArraySlice<String>
  /// The commands from the root to the one that has been named.
  var path: [Command]
  var arguments = Arguments()
  var places: [String] = []

  init(program: Program, words: ArraySlice<String>) {
    self.program = program
    self.words = words
    path = [program.root]
  }

  var command: Command { path[path.count - 1] }
  var commandLine: String { path.map(\.name).joined(separator: " ") }

  func refuse(_ message: String) -> UsageError { UsageError(message: message, command: commandLine) }

  mutating func run(_ environment: (String) -> String?) throws(UsageError) -> Invocation {
    var optionsEnded = false
    while let word = words.popFirst() {
      if optionsEnded || !word.hasPrefix("-") || word == "-" || isNegativeNumber(word) {
        if try take(word: word) { return .print(program.help(for: path)) }
      } else if word == "--" {
        optionsEnded = true
      } else if let page = try takeOption(word) {
        return .print(page)
      }
    }
    if !command.commands.isEmpty, !command.runsAlone { throw missingCommand() }
    try assignPlaces()
    try readEnvironment(environment)
    return .run(arguments)
  }

  private func isNegativeNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { ("0"..."9").contains($0) || $0 == "." } ?? false
  }

  /// Takes a word without a dash. Returns `true` where the word was `help`; the commands that the words after it name have been followed then.
  private mutating func take(word: String) throws(UsageError) -> Bool {
    guard !command.commands.isEmpty else {
      places.append(word)
      return false
    }
    if let next = command.commands.first(where: { $0.name == word }) {
      path.append(next)
      arguments.command.append(word)
      let known = path.validOptions
      if let name = arguments.given.sorted().first(where: { name in !known.contains { $0.name == name } }) {
        throw unknownOption("--\(name)", known)
      }
      return false
    }
    guard word == "help" else {
      let hint = didYouMean(word, among: command.commands.map(\.name))
      let names = command.commands.map(\.name).joined(separator: ", ")
      throw refuse("there is no command \(word.quoted)\(hint ?? "; there are: \(names)")")
    }
    descend()
    return true
  }

  /// Follows the remaining words that name commands, for help.
  private mutating func descend() {
    for word in words {
      if let next = command.commands.first(where: { $0.name == word }) { path.append(next) }
    }
  }

  /// Takes an option with its value. Returns the page for an option that prints something.
  private mutating func takeOption(_ word: String) throws(UsageError) -> String? {
    let (option, attached) = try find(word)
    if option.isFlag {
      guard attached == nil else { throw refuse("--\(option.name) takes no value") }
      arguments.given.insert(option.name)
      switch option.name {
      case Flag.help.declaration.name:
        descend()
        return program.help(for: path)
      case Flag.version.declaration.name:
        return "\(program.name) \(program.version)\n"
      default:
        return nil
      }
    }
    let value: String
    if let attached { value = attached } else { value = try nextValue(of: option) }
    if option.name == Program.generate.declaration.name, let kind = Page(rawValue: value) {
      return program.page(kind)
    }
    do throws(ValueError) {
      let parsed = try option.parse(value)
      let isFirst = arguments.given.insert(option.name).inserted
      if isFirst || !option.isRepeatable { arguments.options[option.name] = [] }
      arguments.options[option.name]?.append(parsed)
    } catch {
      throw refuse("--\(option.name) \(error.text)")
    }
    return nil
  }

  private mutating func nextValue(of option: OptionDescription) throws(UsageError) -> String {
    guard let value = words.first else {
      throw refuse("--\(option.name) needs a value: \(option.placeholder ?? "")")
    }
    guard !value.hasPrefix("--") else {
      throw refuse(
        "--\(option.name) needs a value; write --\(option.name)=\(value.abridged()) if \(value.quoted) is meant"
      )
    }
    words.removeFirst()
    return value
  }

  /// Finds the option that a word names, and the value behind its '=' or its letter.
  private func find(_ word: String) throws(UsageError) -> (OptionDescription, String?) {
    let known = path.validOptions
    if word.hasPrefix("--") {
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if let option = known.first(where: { $0.name == name }) {
        return (option, parts.count == 2 ? String(parts[1]) : nil)
      }
      throw unknownOption("--\(name)", known)
    }
    let letter = word[word.index(after: word.startIndex)]
    guard let option = known.first(where: { $0.short == letter }) else {
      throw unknownOption("-\(letter)", known)
    }
    let rest = word.dropFirst(2)
    return (option, rest.isEmpty ? nil : String(rest.first == "=" ? rest.dropFirst() : rest))
  }

  private func unknownOption(_ name: String, _ known: [OptionDescription]) -> UsageError {
    let owners = command.commands.filter { $0.options.contains { "--\($0.name)" == name } }.map(\.name)
    if !owners.isEmpty {
      return refuse(
        "'\(name)' has to follow its command; it belongs to: \(owners.joined(separator: ", "))")
    }
    let hint = didYouMean(name, among: known.map { "--\($0.name)" }) ?? ""
    return refuse("'\(commandLine)' has no option \(name.quoted)\(hint)")
  }

  private func missingCommand() -> UsageError {
    refuse(
      "a command is missing; there are: \(command.commands.map(\.name).joined(separator: ", "))")
  }

  /// Gives the words without a dash to the command's arguments, in order.
  private mutating func assignPlaces() throws(UsageError) {
    var rest = places[...]
    for positional in command.positionals {
      if let option = positional.alternative, arguments.given.contains(option) {
        guard rest.isEmpty else { throw refuse("\(positional.name) and --\(option) exclude each other") }
        continue
      }
      let count = positional.isRepeated ? rest.count : min(1, rest.count)
      guard count > 0 || positional.count == .optional || positional.count == .zeroOrMore else {
        let other = positional.alternative.map { " Or --\($0) is given." } ?? ""
        throw refuse("\(positional.name) is missing: \(positional.help)\(other)")
      }
      for word in rest.prefix(count) {
        do throws(ValueError) {
          arguments.positionals[positional.name, default: []].append(try positional.parse(word))
        } catch {
          throw refuse("\(positional.name) \(error.text)")
        }
      }
      rest = rest.dropFirst(count)
    }
    if let extra = rest.first { throw refuse("\(extra.quoted) is one argument too many") }
  }

  /// Gives each option that was not given its value from the environment, or else its default.
  private mutating func readEnvironment(_ environment: (String) -> String?) throws(UsageError) {
    for option in path.validOptions where !option.isFlag && !arguments.given.contains(option.name) {
      let variable = option.environment.flatMap(environment).flatMap { $0.isEmpty ? nil : $0 }
      guard let text = variable ?? option.defaultText else { continue }
      do throws(ValueError) {
        arguments.options[option.name] = [try option.parse(text)]
      } catch {
        throw refuse("$\(option.environment ?? option.name) \(error.text)")
      }
    }
  }
}
