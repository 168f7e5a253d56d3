/// Finds the place at which a text stops being JSON5, which the decoder does not report.
struct JSON5Fault: Hashable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  let line: Int
  let column: Int
  let expected: String
  /// The character at this place; `nil`: the text ends.
  let found: Character?

  var description: String {
    let what = found.map { $0.isNewline ? "the line ends" : "found '\($0)'" } ?? "the text ends"
    return "line \(line), column \(column): expected \(expected), \(what)"
  }

  /// Returns `nil` where it finds no fault.
  static func find(in text: String) -> JSON5Fault? {
    var scanner = JSON5Scanner(text)
    do throws(JSON5Scanner.Stop) {
      try scanner.value(depth: 0)
      scanner.skipBlank()
      if scanner.next != nil { throw JSON5Scanner.Stop(expected: "nothing after the end") }
      return nil
    } catch {
      return JSON5Fault(
        line: scanner.line(of: scanner.position), column: scanner.column, expected: error.expected,
        found: scanner.next)
    }
  }
}
