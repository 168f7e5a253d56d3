/// An argument by its place: the key under which ``Arguments`` holds it.
public struct Positional<Value: Sendable>: Sendable {
  public let declaration: PositionalDescription

  /// `option`: an option that can be given in place of the argument.
  public init(
    _ type: ValueType<Value>, _ count: PositionalDescription.Count = .one,
    unless option: (any OptionDeclaration)? = nil, help: String
  ) {
    declaration = PositionalDescription(
      name: type.placeholder, count: count, alternative: option?.declaration.name, help: help,
      completion: type.completion
    ) { text throws(ValueError) in try type.parse(text) }
  }
}

/// What is known about a positional argument, whatever its value's type.
public struct PositionalDescription: Sendable {
  public enum Count: Sendable { case one, optional, oneOrMore, zeroOrMore }

  /// The name in help: "CAMERA".
  public var name: String
  public var count: Count
  /// The name, without dashes, of the option that can be given in place of the argument.
  public var alternative: String?
  public var help: String
  public var completion: Completion
  var parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Whether the argument takes all remaining words.
  var isRepeated: Bool { count == .oneOrMore || count == .zeroOrMore }

  /// "NAME…" in the usage line.
  var usage: String {
    switch count {
    case .one: alternative == nil ? name : "[\(name)]"
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .zeroOrMore: "[\(name)...]"
    }
  }
}
