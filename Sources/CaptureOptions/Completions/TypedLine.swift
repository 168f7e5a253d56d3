/// A command line that is still being typed, and what belongs at its end. It is read leniently: words that the parser would refuse are passed over.
public struct TypedLine: Sendable {
  /// What can stand in the place of the last word.
  public private(set) var completion = Completion.none
  /// The last word as far as it was typed; of `--name=value` only the value.
  public private(set) var fragment = ""
  private var path: [Command]
  private var options: [String: String] = [:]
  private var given: Set<String> = []
  private var places: [String] = []
  private let environment: @Sendable (String) -> String?

  /// The value of an option: as typed, or from the environment, or the default. `nil` where it cannot be read.
  public subscript<Value>(option: Option<Value>) -> Value? {
    let declaration = option.declaration
    let variable = declaration.environment.flatMap(environment).flatMap { $0.isEmpty ? nil : $0 }
    let text = options[declaration.name] ?? variable ?? declaration.defaultText
    return text.flatMap { try? declaration.parse($0) as? Value }
  }

  /// The word in the place of an argument, if it stands before the last word.
  public subscript(positional: Positional<String>) -> String? {
    let index = positionals.firstIndex { $0.name == positional.declaration.name }
    return index.flatMap { places.indices.contains($0) ? places[$0] : nil }
  }

  private var positionals: [PositionalDescription] {
    path[path.count - 1].positionals.filter { $0.alternative.map { !given.contains($0) } ?? true }
  }

  init(_ program: Program, _ words: [String], _ environment: @escaping @Sendable (String) -> String?) {
    path = [program.root]
    self.environment = environment
    var rest = words.dropLast()[...]
    var optionsEnded = false
    var pending: OptionDescription?
    while let word = rest.popFirst() {
      if optionsEnded || !Self.isOption(word) {
        take(word)
      } else if word == "--" {
        optionsEnded = true
      } else if let (option, attached) = find(word) {
        given.insert(option.name)
        guard !option.isFlag else { continue }
        let value = attached ?? rest.popFirst()
        options[option.name] = value
        if value == nil { pending = option }
      }
    }
    fragment = words.last ?? ""
    if let pending {
      completion = pending.completion
    } else if !optionsEnded, Self.isOption(fragment) {
      guard let (option, attached) = find(fragment), let attached else { return }
      (completion, fragment) = (option.completion, attached)
    } else if let last = positionals.last {
      let isBeyond = places.count >= positionals.count
      if !isBeyond || last.isRepeated {
        completion = (isBeyond ? last : positionals[places.count]).completion
      }
    }
  }

  private mutating func take(_ word: String) {
    if let next = path[path.count - 1].commands.first(where: { $0.name == word }) {
      path.append(next)
    } else {
      places.append(word)
    }
  }

  private static func isOption(_ word: String) -> Bool {
    guard word.first == "-", let second = word.dropFirst().first else { return false }
    return !("0"..."9").contains(second) && second != "."
  }

  /// The option that a word names, and the value in the same word.
  private func find(_ word: String) -> (OptionDescription, String?)? {
    let known = path.validOptions
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let option = known.first(where: { $0.spellings.contains(parts[0]) }) {
      return (option, parts.count == 2 ? parts[1] : nil)
    }
    guard !word.hasPrefix("--") else { return nil }
    let letter = String(word.prefix(2))
    return known.first { $0.spellings.contains(letter) }.map { ($0, String(word.dropFirst(2))) }
  }
}

extension Program {
  /// The first word of the command line with which a shell asks the program for names. No help lists this command.
  public static let completionCommand = "complete"

  /// Whether a shell asks the program for names.
  var hasNames: Bool {
    commandPaths.map { $0[$0.count - 1] }.contains { command in
      let completions = command.visibleOptions.map(\.completion) + command.positionals.map(\.completion)
      return completions.contains { if case .program = $0 { true } else { false } }
    }
  }

  /// Reads a line that is being typed, without the program's name. The last word, which may be empty, is the one to complete.
  public func readTypedLine(
    _ words: [String], environment: @escaping @Sendable (String) -> String?
  ) -> TypedLine {
    TypedLine(self, words, environment)
  }
}
