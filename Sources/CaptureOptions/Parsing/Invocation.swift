import CaptureModel

/// The meaning of a command line.
public enum Invocation: Sendable {
  case run(Arguments)
  /// Text for standard output (help, the version, a generated page). Nothing else has to be done: exit 0.
  case print(String)
}

/// An error in a command line, for standard error; exit 2.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what would be right.
  public var message: String
  /// The command with the error: "capturectl stream".
  public var command: String

  /// For errors that a program finds in options that are valid by themselves.
  public init(message: String, command: String) {
    self.message = message
    self.command = command
  }

  /// Message and hint, with the program's name before them. Hidden characters of what was typed are written out.
  public var description: String {
    let program = command.prefix { $0 != " " }
    return "\(program): \(message.visible)\nTry '\(command) --help'."
  }
}
