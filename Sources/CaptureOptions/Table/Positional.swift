/// An argument by its place: the key under which ``Arguments`` holds it.
public struct Positional<Value: Sendable>: Sendable {
  public let declaration: PositionalDescription

  public init(
    _ type: ValueType<Value>, _ count: PositionalDescription.Count = .one, help: String
  ) {
    declaration = PositionalDescription(
      name: type.placeholder, count: count, help: help, completion: type.completion
    ) { text throws(ValueError) in try type.parse(text) }
  }
}

/// What is known about a positional argument, whatever its value's type.
public struct PositionalDescription: Sendable {
  public enum Count: Sendable { case one, optional, oneOrMore, zeroOrMore }

  /// As help shows it: "CAMERA".
  public var name: String
  public var count: Count
  public var help: String
  public var completion: Completion
  var parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Whether it takes every word that is left.
  var isRepeated: Bool { count == .oneOrMore || count == .zeroOrMore }

  /// "NAME…" in the usage line.
  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .zeroOrMore: "[\(name)...]"
    }
  }
}
