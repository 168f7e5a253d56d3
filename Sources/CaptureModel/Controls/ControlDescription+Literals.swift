extension ControlDescription {
  /// Reads a value that a person wrote: a number (decimal, 0x…), true/false/on/off/yes/no, the name of a menu's item, a text, "1,2,3" for arrays, hex
  /// bytes for compounds. ``checked(_:clamping:rounding:)`` checks the range.
  public func value(of literal: String) throws(CaptureError) -> ControlValue {
    switch type {
    case .button:
      return .integer(0)
    case .string:
      return .text(literal)
    case .compound:
      guard let bytes = Self.bytes(ofHex: literal) else {
        throw refusal(literal.quoted, "takes hex bytes: '00ff10'")
      }
      return .raw(bytes)
    default:
      let parts = literal.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if parts.count == 1 || menuIndex(named: literal) != nil { return .integer(try number(of: literal)) }
      var numbers: [Int64] = []
      for part in parts { numbers.append(try number(of: part)) }
      return .integers(numbers)
    }
  }

  /// The text of a menu's item: its name, or an integer menu's value.
  public func menuName(at index: Int64) -> String? {
    guard let item = menu.first(where: { $0.index == index }) else { return nil }
    switch item.content {
    case .name(let name): return name
    case .value(let value): return "\(value)"
    }
  }

  private func menuIndex(named text: String) -> Int64? {
    let word = text.trimmed.lowercased()
    return menu.first { item in
      if case .name(let name) = item.content { return name.lowercased() == word }
      return false
    }?.index
  }

  private func number(of text: String) throws(CaptureError) -> Int64 {
    if let index = menuIndex(named: text) { return index }
    let word = text.trimmed
    if let number = Self.integer(of: word) { return number }
    switch (type, word.lowercased()) {
    case (.boolean, "true"), (.boolean, "on"), (.boolean, "yes"): return 1
    case (.boolean, "false"), (.boolean, "off"), (.boolean, "no"): return 0
    case (.boolean, _): throw refusal(text.quoted, "is on or off")
    case (.menu, _), (.integerMenu, _): throw refusal(text.quoted, "is one of \(menuText)")
    case (.bitmask, _): throw refusal(text.quoted, "takes a number of bits: 0x\(String(maximum, radix: 16))")
    default: throw refusal(text.quoted, "takes a number from \(minimum) to \(maximum)")
    }
  }

  private static func integer(of word: String) -> Int64? {
    let isNegative = word.hasPrefix("-")
    let digits = isNegative ? word.dropFirst() : word[...]
    guard digits.hasPrefix("0x") || digits.hasPrefix("0X") else { return Int64(word) }
    guard let bits = UInt64(digits.dropFirst(2), radix: 16) else { return nil }
    return isNegative ? Int64(exactly: bits).map { -$0 } : Int64(bitPattern: bits)
  }

  private static func bytes(ofHex text: String) -> [UInt8]? {
    let digits = text.utf8.filter { $0 != 0x20 }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index].hexValue, let low = digits[index + 1].hexValue else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let start = drop { $0 == " " }
    return String(start.reversed().drop { $0 == " " }.reversed())
  }
}
