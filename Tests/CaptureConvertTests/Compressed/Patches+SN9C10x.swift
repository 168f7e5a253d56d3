extension Patches {
  /// S910: blue and green, then green and red. A sample is the mean of the same colour's to its left and above it and a difference, or has a value of its own,
  /// in steps of 16; the first two of the first two rows are written as they are.
  func sn9c10x() -> [UInt8] {
    let book = CodeBook(
      differences: [
        ("0", 0), ("100", 4), ("101", -4), ("1101", 11), ("1111", -11), ("11001", 20), ("110000", -20),
      ],
      values: (0..<16).map { (Code("1110").followed(by: $0, 4), 16 * $0) })
    var samples = [[Int]](repeating: [Int](repeating: 0, count: size.width), count: size.height)
    var bits = Bits()
    for y in 0..<size.height {
      for x in 0..<size.width {
        let wanted = sample(x, y, Self.bggr)
        if x < 2, y < 2 {
          bits.append(wanted, 8)
          samples[y][x] = wanted
          continue
        }
        let (left, above) = (x < 2 ? nil : samples[y][x - 2], y < 2 ? nil : samples[y - 2][x])
        let choice = book.nearest(wanted, from: ((left ?? above!) + (above ?? left!)) / 2)
        bits.append(choice.code)
        samples[y][x] = choice.sample
      }
    }
    return bits.bytes()
  }
}
