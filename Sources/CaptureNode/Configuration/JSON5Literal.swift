/// A value of JSON5 that is neither a text in quotes nor a list: a number, `true`, `false` or `null`.
enum JSON5Literal {
  /// Whether a word is such a value, by JSON5's grammar. The decoder does not check that: it ends the process at some incomplete numbers, such as
  /// "3e+".
  static func isLiteral(_ word: some Collection<Character>) -> Bool {
    let word = String(word)
    return ["true", "false", "null"].contains(word) || isNumber(Substring(word).utf8)
  }

  private static func isNumber(_ text: Substring.UTF8View) -> Bool {
    var rest = text
    if let sign = rest.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) { rest.removeFirst() }
    if ["Infinity", "NaN"].contains(Substring(rest)) { return true }
    if rest.starts(with: "0x".utf8) || rest.starts(with: "0X".utf8) {
      let digits = rest.dropFirst(2)
      return !digits.isEmpty && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let whole = skipDigits(in: &rest)
    guard whole < 2 || !startsWithZero else { return false }
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = skipDigits(in: &rest)
    }
    guard whole + fraction > 0 else { return false }
    if let mark = rest.first, [UInt8(ascii: "e"), UInt8(ascii: "E")].contains(mark) {
      rest.removeFirst()
      if let sign = rest.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) { rest.removeFirst() }
      guard skipDigits(in: &rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  /// Skips the digits at the beginning of `text`. Returns how many there were.
  private static func skipDigits(in text: inout Substring.UTF8View) -> Int {
    let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    text = text.dropFirst(digits.count)
    return digits.count
  }
}
