/// Why a command ended without success, on this side of the wire.
struct Failure: Error, Hashable, CustomStringConvertible {
  /// For a person.
  var description: String
  /// Whoever read our output has gone: end without a word.
  var isQuiet = false

  init(_ description: String) { self.description = description }

  static let readerGone: Failure = {
    var failure = Failure("the reader of the output has gone")
    failure.isQuiet = true
    return failure
  }()
}
