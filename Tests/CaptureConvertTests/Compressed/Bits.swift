/// Bits one after the other; the first is the uppermost of its byte.
struct Bits {
  private(set) var count = 0
  private var whole: [UInt8] = []
  /// The bits of a byte that is not full.
  private var rest = 0

  mutating func append(_ bits: Int, _ count: Int) {
    for place in stride(from: count - 1, through: 0, by: -1) {
      rest = rest << 1 | bits >> place & 1
      self.count += 1
      if self.count % 8 == 0 {
        whole.append(UInt8(rest))
        rest = 0
      }
    }
  }

  mutating func append(_ code: Code) { append(code.bits, code.count) }

  /// A number of so many bits as JPEG has it: those of a negative one are the other way round.
  mutating func append(signed number: Int, _ count: Int) {
    append(number < 0 ? number + 1 << count - 1 : number, count)
  }

  /// The last byte is filled up with that bit.
  func bytes(filledWith bit: Int = 0) -> [UInt8] {
    var filled = self
    while filled.count % 8 > 0 { filled.append(bit, 1) }
    return filled.whole
  }
}

/// A code of a few bits, written "1101".
struct Code: ExpressibleByStringLiteral {
  var bits: Int
  var count: Int

  init(_ bits: Int, _ count: Int) { (self.bits, self.count) = (bits, count) }

  init(stringLiteral text: String) { self.init(Int(text, radix: 2)!, text.utf8.count) }

  /// The code with so many bits more.
  func followed(by bits: Int, _ count: Int) -> Code { Code(self.bits << count | bits, self.count + count) }
}

extension Int {
  /// The bits that the number takes without its sign; 0 takes none.
  var magnitudeBits: Int { Int.bitWidth - magnitude.leadingZeroBitCount }
}
