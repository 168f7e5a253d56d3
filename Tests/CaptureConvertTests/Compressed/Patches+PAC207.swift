extension Patches {
  /// P207: blue and green, then green and red. A row begins with the number of its steps, 0x1EE1 for steps of 5; a sample is the same colour's to its left and so
  /// many steps, or its own upper 6 bits. The first two are written as they are, and a row has an even number of bytes.
  func pac207() -> [UInt8] {
    let steps: [(Code, Int)] = [
      ("00", 0), ("01", -1), ("10", 1), ("1100", -2), ("1101", 2), ("11100", -3), ("11101", 3),
      ("111100", -4), ("111101", 4),
    ]
    let book = CodeBook(
      differences: steps.map { ($0.0, 5 * $0.1) },
      values: (0..<64).map { (Code("11111").followed(by: $0, 6), 4 * $0) })
    var frame: [UInt8] = []
    for y in 0..<size.height {
      var (row, bits): ([Int], Bits) = ([], Bits())
      for x in 0..<size.width {
        let wanted = sample(x, y, Self.bggr)
        if x < 2 {
          bits.append(wanted, 8)
          row.append(wanted)
        } else {
          let choice = book.nearest(wanted, from: row[x - 2])
          bits.append(choice.code)
          row.append(choice.sample)
        }
      }
      let packed = bits.bytes()
      frame += [0x1E, 0xE1] + packed + (packed.count % 2 == 0 ? [] : [0])
    }
    return frame
  }
}
