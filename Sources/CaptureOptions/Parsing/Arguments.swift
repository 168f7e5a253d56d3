/// The values of a command line, read with the table's own keys.
public struct Arguments: Sendable {
  /// The commands that were named, outermost first; empty for a program without commands.
  public internal(set) var command: [String] = []
  var options: [String: [any Sendable]] = [:]
  var positionals: [String: [any Sendable]] = [:]
  var given: Set<String> = []

  /// Whether the flag was given.
  public subscript(flag: Flag) -> Bool { given.contains(flag.declaration.name) }

  /// The value that was given last, or that of the environment, or the default; `nil` if there is none of these.
  public subscript<Value>(option: Option<Value>) -> Value? {
    options[option.declaration.name]?.last.map { $0 as! Value }
  }

  /// Every value of a repeatable option, in order.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    (options[option.declaration.name] ?? []).map { $0 as! Value }
  }

  /// Whether the option stands on the command line itself: neither the environment nor the default counts.
  public func isGiven(_ option: some OptionDeclaration) -> Bool { given.contains(option.declaration.name) }

  /// The argument, if it was given. The parser has made sure that required arguments were given.
  public subscript<Value>(positional: Positional<Value>) -> Value? {
    positionals[positional.declaration.name]?.first.map { $0 as! Value }
  }

  /// Every value of an argument that may be repeated, in order.
  public func all<Value>(_ positional: Positional<Value>) -> [Value] {
    (positionals[positional.declaration.name] ?? []).map { $0 as! Value }
  }
}
