/// Something a table of options can list: an ``Option`` or a ``Flag``.
public protocol OptionDeclaration: Sendable {
  var declaration: OptionDescription { get }
}

/// An option that takes a value: the key under which ``Arguments`` holds it.
public struct Option<Value: Sendable>: OptionDeclaration {
  public let declaration: OptionDescription

  /// `name` has no dashes. `defaultText` is the default value that help shows; it counts if neither the command line nor the variable `environment`
  /// has a value.
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

  /// Every program has this flag.
  static let help = Flag("help", short: "h", help: "Show this help and exit.")
  /// Every program has this flag.
  static let version = Flag("version", help: "Show the version and exit.")
}

/// What is known about an option, whatever its value's type.
public struct OptionDescription: Sendable {
  /// The name without dashes.
  public var name: String
  public var short: Character?
  /// `nil`: a flag.
  public var placeholder: String?
  /// Complete sentences.
  public var help: String
  public var defaultText: String?
  /// The variable that is read when the option is not given.
  public var environment: String?
  public var isRepeatable = false
  /// Whether help, manual page and completions leave it out.
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
