import CaptureModel
import Glibc

/// Sharpness by lens position, as a search finds it.
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

  /// Whether there are too few samples to tell a hill from noise: frames did not show the lens at most of its positions.
  var isTooShort: Bool { samples.count < 4 }

  /// The range of the samples' positions; `nil`: there are no samples.
  var seen: ClosedRange<Double>? {
    guard let least = samples.map(\.position).min(), let most = samples.map(\.position).max() else {
      return nil
    }
    return least...most
  }

  /// The widest gap between neighbouring samples in `range`. The ends of the range count as samples; without any other sample the gap is the whole
  /// range.
  func widestGap(in range: ClosedRange<Double>) -> Double {
    let places = samples.map { $0.position.clamped(to: range) }.sorted() + [range.upperBound]
    var (widest, last) = (0.0, range.lowerBound)
    for place in places { (widest, last) = (max(widest, place - last), place) }
    return widest
  }

  /// Whether its highest point stands out from noise.
  var hasPeak: Bool {
    guard let top = sharpest?.sharpness, !isTooShort else { return false }
    let range = top - least
    return range > 0.06 * top && range > 6 * noise
  }

  /// Whether the peak stands out so far that it is hardly noise. Noise is estimated from few samples: of the curves that are nothing but noise, one
  /// in ten has a peak, and one in a hundred a clear one.
  var isClear: Bool {
    hasPeak && (sharpest?.sharpness ?? 0) - least > 6 * (1 + 12 / Double(samples.count)) * noise
  }

  /// The standard deviation of noise, from how far samples lie from the line through their neighbours.
  private var noise: Double {
    guard samples.count >= 3 else { return 0 }
    let bends = (1..<samples.count - 1).map { index -> Double in
      let (before, after) = (samples[index - 1].sharpness, samples[index + 1].sharpness)
      return abs(before + after - 2 * samples[index].sharpness)
    }
    // The estimate uses one of the smaller bends, since a sharp peak bends the curve too.
    return bends.sorted()[bends.count / 3] / (0.43 * 6.0.squareRoot())
  }

  /// Whether the latest sample is less sharp than the sharpest one. Otherwise more of the hill may follow.
  var isFalling: Bool {
    guard let top = sharpest, let last = samples.last else { return false }
    return last.sharpness < top.sharpness
  }

  /// Whether the three latest samples are clearly less sharp than the sharpest.
  var isPastPeak: Bool {
    guard let top = sharpest, samples.count >= 5 else { return false }
    let high = least + (top.sharpness - least) * 0.75
    return samples.suffix(3).allSatisfy { $0.sharpness < high }
  }

  /// The middle of the hill, half way between its slopes. The top may be flat, since a picture is not sharper than its pixels. `nil`: a slope is
  /// missing.
  var middle: Double? {
    let sorted = samples.sorted { $0.position < $1.position }
    guard let top = sorted.indices.max(by: { sorted[$0].sharpness < sorted[$1].sharpness }) else {
      return nil
    }
    let left = sorted[...top].map(\.sharpness).min()!
    let right = sorted[top...].map(\.sharpness).min()!
    let (base, height) = (max(left, right), sorted[top].sharpness)
    guard height - base > 0.2 * (height - least), height > base else { return nil }
    let middles = [0.2, 0.35, 0.5, 0.65].map { part in
      let level = base + (height - base) * part
      let up = sorted[...top].indices.last { sorted[$0].sharpness <= level }!
      let down = sorted[top...].indices.first { sorted[$0].sharpness <= level }!
      return
        (Self.crossing(sorted[up], sorted[up + 1], level)
        + Self.crossing(sorted[down - 1], sorted[down], level)) / 2
    }
    return middles.reduce(0, +) / Double(middles.count)
  }

  /// Where the line between two samples has the value `level`.
  private static func crossing(_ one: Sample, _ other: Sample, _ level: Double) -> Double {
    guard one.sharpness != other.sharpness else { return (one.position + other.position) / 2 }
    let part = (level - one.sharpness) / (other.sharpness - one.sharpness)
    return one.position + (other.position - one.position) * part
  }

  /// The top of the hill through the samples within `reach` of the sharpest; the sharpest itself where they form no hill.
  ///
  /// Blur grows in proportion to the distance from focus, and contrast falls with its square. So the inverse of sharpness is a parabola, also far
  /// down the slopes and where one slope is missing.
  func peak(within reach: Double) -> Double? {
    guard let top = sharpest, top.sharpness > 0 else { return nil }
    let near = samples.filter { abs($0.position - top.position) <= reach * (1 + 1e-9) && $0.sharpness > 0 }
    guard near.count >= 3 else { return top.position }
    // Least squares of y = a + b x + c x²: x is the distance from the sharpest sample, y is in proportion to the inverse of sharpness. The weights
    // are 1/y²: noise is in proportion to sharpness, so the noise of y is in proportion to y.
    var moments = [Double](repeating: 0, count: 5)
    var right = [Double](repeating: 0, count: 3)
    for sample in near {
      let x = (sample.position - top.position) / reach
      let y = top.sharpness / sample.sharpness
      var power = 1 / (y * y)
      for index in 0..<5 {
        moments[index] += power
        if index < 3 { right[index] += power * y }
        power *= x
      }
    }
    guard let (b, c) = Self.solve(moments, right), c > 1e-6 else { return top.position }
    return top.position + (-b / (2 * c)).clamped(to: -1...1) * reach
  }

  /// Solves the normal equations for `b` and `c`, by Cramer's rule.
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
