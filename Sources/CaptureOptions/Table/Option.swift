/// Something a table of options can list: an ``Option`` or a ``Flag``.
public protocol OptionDeclaration: Sendable {
  var declaration: OptionDescription { get }
}

/// An option that takes a value: the key under which ``Arguments`` holds it.
public struct Option<Value: Sendable>: OptionDeclaration {
  public let declaration: OptionDescription

  /// `name` without dashes. `defaultText` is what help shows, and what holds when neither the command line nor the
  /// variable `environment` says otherwise.
  public init(
    _ name: String, short: Character? = nil, _ type: ValueType<Value>, help: String,
    defaultText: String? = nil, environment: String? = nil, isRepeatable: Bool = false, isHidden: Bool = false
  ) {
    declaration = OptionDescription(
      name: name, short: short, placeholder: type.placeholder, help: help, defaultText: defaultText,
      environment: environment, isRepeatable: isRepeatable, isHidden: isHidden, completion: type.completion
    ) { text throws(ValueError) in try type.parse(text) }
  }
}

/// An option without a value.
public struct Flag: OptionDeclaration {
  public let declaration: OptionDescription

  public init(_ name: String, short: Character? = nil, help: String) {
    declaration = OptionDescription(name: name, short: short, help: help)
  }

  /// Every program has it.
  static let help = Flag("help", short: "h", help: "Show this help and exit.")
  /// Every program has it.
  static let version = Flag("version", help: "Show the version and exit.")
}

/// What is known about an option, whatever its value's type.
public struct OptionDescription: Sendable {
  /// Without dashes.
  public var name: String
  public var short: Character?
  /// `nil`: a flag.
  public var placeholder: String?
  /// Whole sentences.
  public var help: String
  public var defaultText: String?
  /// The variable that is read when the option is not given.
  public var environment: String?
  public var isRepeatable = false
  /// Left out of help, manual page and completions.
  public var isHidden = false
  public var completion = Completion.none
  var parse: @Sendable (String) throws(ValueError) -> any Sendable = { $0 }

  var isFlag: Bool { placeholder == nil }

  /// "-o, --output FILE"
  var label: String {
    let value = placeholder.map { " \($0)" } ?? ""
    return (short.map { "-\($0), " } ?? "") + "--\(name)\(value)"
  }

  /// The help with the default, the variable and the repetition.
  var fullHelp: String {
    var notes: [String] = []
    if isRepeatable { notes.append("may be repeated") }
    if let defaultText { notes.append("default: \(defaultText)") }
    if let environment { notes.append("also $\(environment)") }
    return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
  }
}
