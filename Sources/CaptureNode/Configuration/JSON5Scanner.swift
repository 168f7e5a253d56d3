/// Scans a text that may be JSON5, up to the first place at which it is not. Notes where each key is.
struct JSON5Scanner {
  struct Stop: Error { let expected: String }

  let text: [Character]
  private(set) var position = 0
  /// The keys, as in "limits.connections" or "listen[1]", and where each begins: more than one place for a key that is there twice.
  private(set) var places: [String: [Int]] = [:]
  private var path = ""
  /// The deepest nesting of brackets that the scanner follows: more than the decoder allows.
  private static let deepest = 512

  /// Makes each Unicode scalar a character, as the decoder does, since Swift may join a quotation mark and other scalars to one character. Only CR LF
  /// at the end of a line becomes one character.
  init(_ text: String) {
    var characters: [Character] = []
    for scalar in text.unicodeScalars {
      if scalar == "\n", characters.last == "\r" {
        characters[characters.count - 1] = "\r\n"
      } else {
        characters.append(Character(scalar))
      }
    }
    self.text = characters
  }

  var next: Character? { position < text.count ? text[position] : nil }

  /// The number of a place's line, from 1.
  func line(of place: Int) -> Int { text[..<place].count(where: \.isNewline) + 1 }

  /// The number of the column of ``position``, from 1.
  var column: Int { position - (text[..<position].lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0) + 1 }

  /// Skips white space and comments.
  mutating func skipBlank() {
    while let character = next {
      let following = position + 1 < text.count ? text[position + 1] : nil
      if character.isWhitespace || character == "\u{FEFF}" {
        position += 1
      } else if character == "/", following == "/" {
        // As in the decoder, no other end of a line ends the comment.
        while let character = next, !["\n", "\r", "\r\n"].contains(character) { position += 1 }
      } else if character == "/", following == "*" {
        position += 3
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
      var index = 0
      try list(closing: "]", of: "a value", depth: depth) { (scanner) throws(Stop) in
        let outer = scanner.path
        scanner.path = "\(outer)[\(index)]"
        scanner.places[scanner.path] = [scanner.position]
        index += 1
        try scanner.value(depth: depth + 1)
        scanner.path = outer
      }
    case "\"", "'": try string()
    case let character? where character.isLetter || character.isNumber || "+-.$_".contains(character):
      try literal()
    default: throw Stop(expected: "a value")
    }
  }

  private mutating func list(
    closing: Character, of what: String, depth: Int, item: (inout JSON5Scanner) throws(Stop) -> Void
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
    let start = position
    switch next {
    case "\"", "'": try string()
    case let character? where character.isLetter || "$_\\".contains(character): word()
    default: throw Stop(expected: "a key")
    }
    let isQuoted = text[start] == "\"" || text[start] == "'"
    let key = String(isQuoted ? text[start + 1..<position - 1] : text[start..<position])
    guard !key.contains("\\") else {
      position = start
      throw Stop(expected: "a key without '\\'")
    }
    skipBlank()
    guard next == ":" else { throw Stop(expected: "':' after the key") }
    position += 1
    let outer = path
    path = outer.isEmpty ? key : "\(outer).\(key)"
    places[path, default: []].append(start)
    try value(depth: depth + 1)
    path = outer
  }

  private mutating func string() throws(Stop) {
    let quote = text[position]
    position += 1
    while let character = next, character != quote {
      guard !character.isNewline else { throw Stop(expected: "\(quote) at the end of the text") }
      position += 1
      if character == "\\" { try escape() }
    }
    position = min(position, text.count)
    guard next == quote else { throw Stop(expected: "\(quote) at the end of the text") }
    position += 1
  }

  /// Skips the characters behind a backslash. "u" needs four hexadecimal digits and "x" two: the decoder would skip that many characters, whatever
  /// they are.
  private mutating func escape() throws(Stop) {
    let digits = next == "u" ? 4 : next == "x" ? 2 : 0
    position += 1
    for _ in 0..<digits {
      guard let digit = next, digit.isASCII, digit.isHexDigit else {
        throw Stop(expected: "a hexadecimal digit")
      }
      position += 1
    }
  }

  private mutating func literal() throws(Stop) {
    let start = position
    word()
    guard JSON5Literal.isLiteral(text[start..<position]) else {
      position = start
      throw Stop(expected: "a number, true, false, null or a text in quotes")
    }
  }

  private mutating func word() {
    while let character = next, character.isLetter || character.isNumber || "+-.$_\\".contains(character) {
      position += 1
    }
  }
}
