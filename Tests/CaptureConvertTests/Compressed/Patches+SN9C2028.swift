extension CodeBook {
  /// SN9C2028 and MR97310A have the same codes: a difference, or the upper 5 bits of the sample itself.
  static let ofDifferencesTo20 = CodeBook(
    differences: [
      ("0", 0), ("101", 3), ("110", -3), ("1000", 8), ("1001", -8), ("1111", -20), ("11100", 20),
    ],
    values: (0..<32).map { (Code("11101").followed(by: $0, 5), 8 * $0) })
}

extension Patches {
  /// SONX: blue and green, then green and red. Behind 12 bytes, a row has two samples as they are, then differences from the same colour's to the left.
  func sn9c2028() -> [UInt8] {
    var bits = Bits()
    for y in 0..<size.height {
      var last = [0, 0]
      for x in 0..<size.width {
        let wanted = sample(x, y, Self.bggr)
        if x < 2 {
          bits.append(wanted, 8)
          last[x] = wanted
        } else {
          let choice = CodeBook.ofDifferencesTo20.nearest(wanted, from: last[x % 2])
          bits.append(choice.code)
          last[x % 2] = choice.sample
        }
      }
    }
    return [UInt8](repeating: 0, count: 12) + bits.bytes()
  }
}
