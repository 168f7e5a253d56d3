extension Patches {
  /// 905C: red and green, then green and blue, behind 80 bytes. A sample is the mean of one to its left and one above it and one of 16 differences. Those of green
  /// are the last green ones, which are in the other columns; above the first rows everything is 128.
  func sq905c() -> [UInt8] {
    let book = CodeBook(differences: Self.sixteenDifferences)
    let count = size.width / 2
    var bits = Bits()
    func append(_ x: Int, _ y: Int, _ left: Int, _ above: Int) -> Int {
      let choice = book.nearest(sample(x, y, Self.rggb), from: (left + above) / 2)
      bits.append(choice.code)
      return choice.sample
    }
    let grey = [Int](repeating: 128, count: count)
    var (red, green, blue) = (grey, grey, grey)
    for y in stride(from: 0, to: size.height, by: 2) {
      for pair in 0..<count {
        red[pair] = append(2 * pair, y, red[max(pair - 1, 0)], red[pair])
        // At the left edge there is nothing but the one above.
        let above = green[min(pair + 1, count - 1)]
        green[pair] = append(2 * pair + 1, y, pair == 0 ? above : green[pair - 1], above)
      }
      for pair in 0..<count {
        green[pair] = append(2 * pair, y + 1, green[max(pair - 1, 0)], green[pair])
        blue[pair] = append(2 * pair + 1, y + 1, blue[max(pair - 1, 0)], blue[pair])
      }
    }
    return [UInt8](repeating: 0, count: 80) + bits.bytes()
  }

  /// The small ones have the short codes.
  private static let sixteenDifferences: [(code: Code, value: Int)] =
    zip(
      ["0", "10", "110", "1110"] + (0..<12).map { Code("1111").followed(by: $0, 4) },
      [2, -3, 10, -11, 20, 34, 52, 76, 110, 144, -21, -35, -53, -77, -110, -144]
    ).map { ($0, $1) }
}
