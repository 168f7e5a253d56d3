extension [UInt8] {
  /// Two digits a byte, in lower case.
  package var hexDigits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension String {
  /// The bytes of hexadecimal digits; `nil`: the text is not hexadecimal.
  package var bytesOfHex: [UInt8]? {
    let digits = Array(utf8)
    // `UInt8.init(_:radix:)` also reads a sign.
    guard digits.count % 2 == 0, allSatisfy(\.isHexDigit) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
