/// Why a command failed, on this side of the wire.
struct Failure: Error, Hashable, CustomStringConvertible {
  /// For a person.
  var description: String
  /// The reader of the output has gone: the program ends without a message.
  var isQuiet = false

  init(_ description: String) { self.description = description }

  static let readerGone: Failure = {
    var failure = Failure("the reader of the output has gone")
    failure.isQuiet = true
    return failure
  }()
}

/// Options that are valid by themselves, and not together: a usage error of the command that runs.
struct Misuse: Error {
  /// What is wrong and what would be right.
  var message: String

  init(_ message: String) { self.message = message }
}
