/// What a command line asks for.
public enum Invocation: Sendable {
  case run(Arguments)
  /// Text for standard output (help, the version, a generated page), and nothing else to do: exit 0.
  case print(String)
}

/// A command line that is wrong: for standard error; exit 2.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right.
  public var message: String
  /// The command it concerns: "capturectl stream".
  public var command: String

  /// For what a program finds wrong in options that are right by themselves.
  public init(message: String, command: String) {
    self.message = message
    self.command = command
  }

  /// Message and hint, with the program's name before them.
  public var description: String {
    let program = command.prefix { $0 != " " }
    return "\(program): \(message)\nTry '\(command) --help'."
  }
}
