import CaptureModel
import Glibc

/// Sharpness against lens position, as a search finds it.
struct SharpnessCurve: Sendable {
  struct Sample: Sendable {
    var position: Double
    var sharpness: Double
  }
  private(set) var samples: [Sample] = []

  mutating func add(_ position: Double, _ sharpness: Double) {
    samples.append(Sample(position: position, sharpness: sharpness))
  }

  var sharpest: Sample? { samples.max { $0.sharpness < $1.sharpness } }
  var least: Double { samples.map(\.sharpness).min() ?? 0 }

  /// Whether its highest point stands out from noise.
  var hasPeak: Bool {
    guard let top = sharpest?.sharpness, samples.count >= 4 else { return false }
    let range = top - least
    return range > 0.06 * top && range > 6 * noise
  }

  /// The standard deviation of noise, from how much samples jump about the line through their neighbours.
  private var noise: Double {
    guard samples.count >= 3 else { return 0 }
    let bends = (1..<samples.count - 1).map { index in
      abs(samples[index - 1].sharpness - 2 * samples[index].sharpness + samples[index + 1].sharpness)
    }
    // The smaller ones: a sharp peak bends the curve too.
    return bends.sorted()[bends.count / 3] / (0.43 * 6.0.squareRoot())
  }

  /// Whether the peak has been passed: the latest samples are well below it.
  var isPastPeak: Bool {
    guard hasPeak, let top = sharpest, samples.count >= 5 else { return false }
    let half = least + (top.sharpness - least) * 0.3
    return top.sharpness > 2 * least && samples.suffix(2).allSatisfy { $0.sharpness < half }
  }

  /// Where the parabola through the samples within `reach` of the sharpest has its top; the sharpest itself where they make no hill.
  func peak(within reach: Double) -> Double? {
    guard let top = sharpest else { return nil }
    let near = samples.filter { abs($0.position - top.position) <= reach * (1 + 1e-9) }
    guard near.count >= 3 else { return top.position }
    // Least squares of y = a + b x + c x², about the sharpest.
    var moments = [Double](repeating: 0, count: 5)
    var right = [Double](repeating: 0, count: 3)
    for sample in near {
      let x = (sample.position - top.position) / reach
      var power = 1.0
      for index in 0..<5 {
        moments[index] += power
        if index < 3 { right[index] += power * sample.sharpness / top.sharpness }
        power *= x
      }
    }
    guard let (b, c) = Self.solve(moments, right), c < -1e-6 else { return top.position }
    return top.position + (-b / (2 * c)).clamped(to: -1...1) * reach
  }

  /// `b` and `c` of the normal equations, by Cramer's rule.
  private static func solve(_ s: [Double], _ r: [Double]) -> (Double, Double)? {
    func determinant(_ m: [Double]) -> Double {
      m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
        + m[2] * (m[3] * m[7] - m[4] * m[6])
    }
    let whole = determinant([s[0], s[1], s[2], s[1], s[2], s[3], s[2], s[3], s[4]])
    guard abs(whole) > 1e-12 else { return nil }
    let b = determinant([s[0], r[0], s[2], s[1], r[1], s[3], s[2], r[2], s[4]])
    let c = determinant([s[0], s[1], r[0], s[1], s[2], r[1], s[2], s[3], r[2]])
    return (b / whole, c / whole)
  }
}
