extension StringProtocol {
  /// The text without the white space around it.
  package var trimmed: String {
    let start = drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex
    return String(start[..<end])
  }
}
