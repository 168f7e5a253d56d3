/// The codes for a sample: for its difference from what is known before it, or for its value.
struct CodeBook {
  var differences: [(code: Code, value: Int)]
  var values: [(code: Code, value: Int)] = []

  struct Choice {
    var code: Code
    /// What the decoder makes of it.
    var sample: Int
    /// Its place in the book, the differences first.
    var index: Int
  }

  /// The code whose sample comes nearest; of several the shortest.
  func nearest(_ wanted: Int, from known: Int) -> Choice {
    var (best, least) = (Choice(code: "0", sample: known, index: 0), Int.max)
    for index in 0..<differences.count + values.count {
      let isDifference = index < differences.count
      let (code, value) = isDifference ? differences[index] : values[index - differences.count]
      let sample = min(max(isDifference ? known + value : value, 0), 255)
      let cost = abs(sample - wanted) << 8 | code.count
      if cost < least { (best, least) = (Choice(code: code, sample: sample, index: index), cost) }
    }
    return best
  }
}
