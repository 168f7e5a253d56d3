import Glibc

/// A sweep through the range and back, with a rest at both ends, on a camera for which nobody knows which frame has which lens position.
///
/// If frames are later than believed, a peak seems too far along on the way there, and too far back on the way back. The true delay is the one with
/// which the curves of both ways are most alike.
struct FocusSurvey: Sendable {
  private struct Sample: Sendable {
    var sequence: UInt64
    var position: Double
    var sharpness: Double
  }
  private typealias Ways = (there: SharpnessCurve, back: SharpnessCurve)
  private var samples: [Sample] = []
  /// The index of the first frame that was believed to be on the way back.
  private var turn: Int?
  var isReturning: Bool { turn != nil }

  /// By how many frames positions may show later or earlier than believed.
  static let lags = -DelayLearner.longestDelay...DelayLearner.longestDelay

  mutating func observe(_ sequence: UInt64, at position: Double, sharpness: Double) {
    samples.append(Sample(sequence: sequence, position: position, sharpness: sharpness))
  }

  /// Tells that the lens was sent back.
  mutating func turnBack() { turn = samples.count }

  /// Sharpness by position, with the delay that makes both ways most alike; `nil` where nothing stands out from noise on either way.
  func curve() -> SharpnessCurve? {
    let tried = Self.lags.compactMap { lag -> (ways: Ways, unlikeness: Double)? in
      guard let ways = ways(lag), let unlikeness = unlikeness(ways) else { return nil }
      return (ways, unlikeness)
    }
    guard let best = tried.min(by: { $0.unlikeness < $1.unlikeness })?.ways,
      best.there.hasPeak || best.back.hasPeak
    else {
      return nil
    }
    var curve = best.there
    for sample in best.back.samples { curve.add(sample.position, sample.sharpness) }
    return curve
  }

  /// Whether nothing stood out from noise at any lens position. `false` too where frames showed too few positions.
  var isBlank: Bool {
    var seen = SharpnessCurve()
    for (index, sample) in samples.enumerated() { seen.add(Double(index), sample.sharpness) }
    return !seen.hasPeak && !seen.isTooShort
  }

  /// The samples of the way there and of the way back, each position once, if frames are `lag` late. `nil`: a way has too few samples.
  private func ways(_ lag: Int) -> Ways? {
    guard let turn, turn < samples.count else { return nil }
    var (there, back) = (SharpnessCurve(), SharpnessCurve())
    var place = 0
    for sample in samples {
      let sequence = Int(sample.sequence) - lag
      while place + 1 < samples.count, Int(samples[place + 1].sequence) <= sequence { place += 1 }
      // If the frame that was believed to have this position is missing, the position is unknown.
      guard Int(samples[place].sequence) == sequence else { continue }
      let position = samples[place].position
      if place < turn {
        if there.samples.last?.position != position { there.add(position, sample.sharpness) }
      } else if back.samples.last?.position != position {
        back.add(position, sample.sharpness)
      }
    }
    return there.samples.count >= 4 && back.samples.count >= 4 ? (there, back) : nil
  }

  private func unlikeness(_ ways: Ways) -> Double? {
    let there = ways.there.samples.sorted { $0.position < $1.position }
    let differences = ways.back.samples.compactMap { sample -> Double? in
      guard let above = there.firstIndex(where: { $0.position >= sample.position }) else { return nil }
      let (low, high) = (there[max(above - 1, 0)], there[above])
      let way = high.position - low.position
      let part = way > 0 ? ((sample.position - low.position) / way).clamped(to: 0...1) : 1
      let other = low.sharpness + (high.sharpness - low.sharpness) * part
      let difference = log(max(sample.sharpness, 1e-12) / max(other, 1e-12))
      return difference * difference
    }
    return differences.count < 4 ? nil : differences.reduce(0, +) / Double(differences.count)
  }
}
