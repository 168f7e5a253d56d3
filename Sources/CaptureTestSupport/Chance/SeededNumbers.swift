/// Numbers that look random and are the same in every run.
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678 }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// An approximately normal number of variance 1: the sum of three uniform ones.
  package mutating func noise() -> Double {
    let sum: UInt64 = (next() >> 40) + (next() >> 40) + (next() >> 40)
    return Double(sum) / 0x1p23 - 3
  }
}
