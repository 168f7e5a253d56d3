extension Patches {
  /// M310: blue and green, then green and red, between twice 12 bytes. The first two samples of the first two rows are written as they are; the others are
  /// differences from an estimate.
  func mr97310a() -> [UInt8] {
    var samples: [[Int]] = []
    var bits = Bits()
    for y in 0..<size.height {
      var row: [Int] = []
      for x in 0..<size.width {
        let wanted = sample(x, y, Self.bggr)
        if x < 2, y < 2 {
          bits.append(wanted, 8)
          row.append(wanted)
        } else {
          let known = estimate(x, left: row, above: y < 2 ? nil : samples[y - 2])
          let choice = CodeBook.ofDifferencesTo20.nearest(wanted, from: known)
          bits.append(choice.code)
          row.append(choice.sample)
        }
      }
      samples.append(row)
    }
    let ends = [UInt8](repeating: 0, count: 12)
    return ends + bits.bytes() + ends
  }

  /// A mean of the same colour's samples to the left, above and beside that.
  private func estimate(_ x: Int, left row: [Int], above: [Int]?) -> Int {
    guard let above else { return row[x - 2] }
    if x < 2 { return (above[x] + above[x + 2]) / 2 }
    if x > size.width - 3 { return (row[x - 2] + above[x] + above[x - 2] + 1) / 3 }
    return (row[x - 2] + above[x] + above[x - 2] / 2 + above[x + 2] / 2 + 1) / 3
  }
}
