/// Finds the place at which a text stops being JSON5, which the decoder does not report.
struct JSON5Fault: Hashable, Sendable, CustomStringConvertible {
  /// The line's number, from 1.
  let line: Int
  let column: Int
  let expected: String
  /// The character there; `nil`: the text ends.
  let found: Character?

  var description: String {
    let what = found.map { $0.isNewline ? "the line ends" : "found '\($0)'" } ?? "the text ends"
    return "line \(line), column \(column): expected \(expected), \(what)"
  }

  /// Returns `nil` where it finds no fault.
  static func find(in text: String) -> JSON5Fault? {
    var scanner = Scanner(text: Array(text))
    do throws(Stop) {
      try scanner.value(depth: 0)
      scanner.skipBlank()
      if scanner.next != nil { throw Stop(expected: "nothing after the end") }
      return nil
    } catch {
      return scanner.fault(error.expected)
    }
  }

  private struct Stop: Error { let expected: String }

  private struct Scanner {
    let text: [Character]
    var position = 0
    /// The deepest nesting that it follows: more than the decoder allows.
    private static let deepest = 512

    init(text: [Character]) { self.text = text }

    var next: Character? { position < text.count ? text[position] : nil }

    func fault(_ expected: String) -> JSON5Fault {
      let before = text[..<position]
      let start = before.lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
      return JSON5Fault(
        line: before.count(where: \.isNewline) + 1, column: position - start + 1, expected: expected,
        found: next)
    }

    /// Skips white space and comments.
    mutating func skipBlank() {
      while let character = next {
        let following = position + 1 < text.count ? text[position + 1] : nil
        if character.isWhitespace || character == "\u{FEFF}" {
          position += 1
        } else if character == "/", following == "/" {
          while let character = next, !character.isNewline { position += 1 }
        } else if character == "/", following == "*" {
          position += 2
          while position < text.count, !(text[position - 1] == "*" && text[position] == "/") { position += 1 }
          position = min(position + 1, text.count)
        } else {
          return
        }
      }
    }

    mutating func value(depth: Int) throws(Stop) {
      skipBlank()
      guard depth < Self.deepest else { throw Stop(expected: "fewer levels of brackets") }
      switch next {
      case "{":
        try list(closing: "}", of: "a key", depth: depth) { (scanner) throws(Stop) in
          try scanner.member(depth)
        }
      case "[":
        try list(closing: "]", of: "a value", depth: depth) { (scanner) throws(Stop) in
          try scanner.value(depth: depth + 1)
        }
      case "\"", "'": try string()
      case let character? where character.isLetter || character.isNumber || "+-.$_".contains(character):
        word()
      default: throw Stop(expected: "a value")
      }
    }

    private mutating func list(
      closing: Character, of what: String, depth: Int, item: (inout Scanner) throws(Stop) -> Void
    ) throws(Stop) {
      position += 1
      while true {
        skipBlank()
        if next == closing { break }
        if next == nil { throw Stop(expected: "\(what) or '\(closing)'") }
        try item(&self)
        skipBlank()
        if next == "," {
          position += 1
        } else if next != closing {
          throw Stop(expected: "',' or '\(closing)'")
        }
      }
      position += 1
    }

    private mutating func member(_ depth: Int) throws(Stop) {
      switch next {
      case "\"", "'": try string()
      case let character? where character.isLetter || "$_\\".contains(character): word()
      default: throw Stop(expected: "a key")
      }
      skipBlank()
      guard next == ":" else { throw Stop(expected: "':' after the key") }
      position += 1
      try value(depth: depth + 1)
    }

    private mutating func string() throws(Stop) {
      let quote = text[position]
      position += 1
      while let character = next, character != quote {
        guard !character.isNewline else { throw Stop(expected: "\(quote) at the end of the text") }
        position += character == "\\" ? 2 : 1
      }
      position = min(position, text.count)
      guard next == quote else { throw Stop(expected: "\(quote) at the end of the text") }
      position += 1
    }

    private mutating func word() {
      while let character = next, character.isLetter || character.isNumber || "+-.$_\\".contains(character) {
        position += 1
      }
    }
  }
}
