extension Patches {
  /// S561: green and blue, then red and green. Behind 20 bytes, two rows are written as they are; the other samples are steps from an estimate, in codes that adapt
  /// themselves to how large the steps were in the same neighbourhood.
  func spca561() -> [UInt8] {
    var samples = (0..<2).map { y in (0..<size.width).map { sample($0, y, Self.gbrg) } }
    var contexts = [StepContext](repeating: StepContext(), count: 512)
    var bits = Bits()
    for y in 2..<size.height {
      var row: [Int] = []
      for x in 0..<size.width {
        // Each 32 samples begin with a bit of their own.
        if x % 32 == 0 { bits.append("0") }
        let near = Neighbourhood(x, y, row: row, above: samples[y - 2])
        let codes = StepCodes.all[contexts[near.context].codes]
        let choice = codes.books[near.gain]!.nearest(sample(x, y, Self.gbrg), from: near.estimate)
        bits.append(choice.code)
        row.append(choice.sample)
        contexts[near.context].count(codes.steps[choice.index])
      }
      samples.append(row)
    }
    let raw = samples[..<2].joined().map { UInt8($0) }
    return [UInt8](repeating: 0, count: 20) + raw + bits.bytes()
  }
}

/// The same colour's samples around one.
private struct Neighbourhood {
  var estimate: Int
  /// One of 512.
  var context: Int
  /// By what the size of a step is multiplied, in halves.
  var gain: Int

  init(_ x: Int, _ y: Int, row: [Int], above: [Int]) {
    let top = above[x]
    let (left, topLeft) = x < 2 ? (top, top) : (row[x - 2], above[x - 2])
    let topRight = x + 2 < above.count ? above[x + 2] : top
    estimate = ((top + left) * 3 - topLeft * 2) / 4
    let classes = [topLeft - left, top - topLeft, topRight - top].map(Self.class(of:))
    context = classes.reduce(0) { $0 * 8 + $1 }
    gain =
      if left + 2 * top <= 144, y % 2 == 0, x % 4 == 0, classes.allSatisfy({ $0 < 5 }) {
        1
      } else if left <= 48, (1...4).contains(classes[0]), (1...4).contains(classes[1]) {
        2
      } else {
        classes[0] + classes[1] >= 11 ? 8 : 4
      }
  }

  /// 0 for no difference, then by its size: odd for a negative one.
  private static func `class`(of difference: Int) -> Int {
    switch difference {
    case 0: 0
    case 1...2: 2
    case 3...6: 4
    case 7...: 6
    case -2 ... -1: 1
    case -6 ... -3: 3
    case -20 ... -7: 5
    default: 7
    }
  }
}
