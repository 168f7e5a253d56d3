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
