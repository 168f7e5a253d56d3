import CaptureModel

/// Verifies the result of a search on a camera whose delay was not calibrated, so that no frame's lens position is certain. The lens goes to
/// positions around the result, further and further away, until sharpness has fallen on both sides. At each position the lens rests until even the
/// slowest camera would show it.
struct FocusClimb: Sendable {
  let range: ClosedRange<Double>
  /// The distance between positions.
  let step: Double
  /// The position to which the lens was sent.
  private(set) var position: Double
  private var former: Double
  private(set) var curve = SharpnessCurve()
  private var readings: [Double] = []
  /// How many frames were counted at each position, in the order of the curve's samples.
  private var counts: [Int] = []
  /// The sum of the squared differences between the sharpness of every counted frame and the mean at its position.
  private var squares = 0.0
  /// The mean sharpness at the previous position.
  private var before: Double?
  private var path: [(sequence: UInt64, sharpness: Double)] = []
  /// The first frame that is believed to show ``position`` rather than the previous one.
  private var believed: UInt64?

  /// The least and the largest number of frames that are counted at a position. The more noise there is, the more frames are counted.
  static let counted = 2...12
  /// The mean of a position is accepted once its standard error is at most this fraction of it, or once the largest number of frames was counted.
  static let sure = 0.02
  /// A side of the hill has fallen where its sharpness is at most this fraction of the greatest sharpness.
  static let fallen = 0.9
  static let mostPositions = 16
  /// The climb ends after this many positions if sharpness has fallen on neither side.
  static let mostFlat = 9

  init(at position: Double, in range: ClosedRange<Double>, step: Double) {
    (self.range, self.step, self.position, former) = (range, step, position, position)
  }

  mutating func move(to position: Double) {
    former = self.position
    self.position = position
    (readings, path, believed) = ([], [], nil)
  }

  /// Takes a frame. `place`: the lens position that the frame is believed to have; `rested`: for how many frames the lens is believed to have been
  /// where it was sent. Returns whether enough frames of this position were counted.
  mutating func observe(_ sequence: UInt64, sharpness: Double, at place: Double, rested: Int) -> Bool {
    path.append((sequence, sharpness))
    if believed == nil, abs(place - position) <= abs(former - position) / 2 { believed = sequence }
    guard rested > DelayLearner.longestDelay else { return false }
    readings.append(sharpness)
    let mean = readings.reduce(0, +) / Double(readings.count)
    guard isEnough(mean) else { return false }
    curve.add(position, mean)
    (counts, squares) = (counts + [readings.count], squares + deviation(from: mean))
    defer { before = mean }
    if let late = before.flatMap({ late(from: $0, to: mean) }) { observations.append(late) }
    return true
  }

  private func isEnough(_ mean: Double) -> Bool {
    guard readings.count >= Self.counted.lowerBound else { return false }
    guard readings.count < Self.counted.upperBound else { return true }
    let noise = noise(with: deviation(from: mean), of: readings.count)
    return noise / Double(readings.count).squareRoot() <= Self.sure * mean
  }

  /// The standard deviation of a frame's sharpness, estimated from all positions together: two frames of one position may be alike by chance. `more`:
  /// the squared distances of `count` further frames.
  private func noise(with more: Double = 0, of count: Int = 1) -> Double {
    let freedom = counts.reduce(count - 1) { $0 + $1 - 1 }
    return ((squares + more) / Double(max(freedom, 1))).squareRoot()
  }

  /// The sum of the squared distances of the readings from their mean.
  private func deviation(from mean: Double) -> Double {
    readings.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
  }

  /// How many frames later than believed the pictures showed each position, in the order of the climb. A position that pictures did not show clearly
  /// is left out.
  private(set) var observations: [Int] = []

  private func late(from old: Double, to new: Double) -> Int? {
    guard let believed, abs(new - old) > Self.clear * max(new, old) else { return nil }
    let middle = (old + new) / 2
    // The first frame since the lens was sent must show the old position. From one frame on, all must show the new one, and the frame just before
    // must not be missing.
    guard let first = path.firstIndex(where: { ($0.sharpness > middle) == (new > middle) }), first > 0,
      path[first...].allSatisfy({ ($0.sharpness > middle) == (new > middle) }),
      path[first].sequence == path[first - 1].sequence + 1
    else { return nil }
    // Noise may cross the middle before the lens does. So the step counts only if it is larger than the spread of the noise on either side.
    let (before, after) = (path[..<first].map(\.sharpness), path[first...].map(\.sharpness))
    let (low, high) = new > old ? (before, after) : (after, before)
    let gap = high.min()! - low.max()!
    guard gap > max(high.max()! - high.min()!, low.max()! - low.min()!) else { return nil }
    return Int(path[first].sequence) - Int(believed)
  }
  private static let clear = 0.15

  /// The next position; `nil`: enough is known.
  func next() -> Double? {
    guard let top = curve.sharpest else { return nil }
    guard curve.samples.count < (isFlat ? Self.mostFlat : Self.mostPositions) else { return nil }
    let positions = curve.samples.map(\.position)
    let sides = [(positions.min()!, -1.0), (positions.max()!, 1.0)]
    // The side on which the climb has gone less far comes first.
    for (edge, direction) in sides.sorted(by: { abs($0.0 - positions[0]) < abs($1.0 - positions[0]) }) {
      let sample = curve.samples.first { $0.position == edge }!
      // A side is done once it has fallen, unless noise alone may have made it look lower.
      guard sample.sharpness > Self.fallen * top.sharpness || !isFlat && !standsOut else { continue }
      let next = (edge + direction * step).clamped(to: range)
      if abs(next - edge) > step / 4 { return next }
    }
    return nil
  }

  /// Whether sharpness has fallen on neither side: the top is wider than the climb, or there is no top.
  var isFlat: Bool { curve.sharpest.map { curve.least >= Self.fallen * $0.sharpness } ?? false }

  /// Whether the sharpest and the least sharp position differ by more than noise explains.
  private var standsOut: Bool {
    guard let most = curve.samples.indices.max(by: { sharpness(at: $0) < sharpness(at: $1) }),
      let least = curve.samples.indices.min(by: { sharpness(at: $0) < sharpness(at: $1) })
    else { return false }
    let error = noise() * ((1 / Double(counts[most]) + 1 / Double(counts[least])) / 2).squareRoot()
    return sharpness(at: most) - sharpness(at: least) > Self.clearly * error
  }
  private static let clearly = 5.0

  private func sharpness(at index: Int) -> Double { curve.samples[index].sharpness }

  /// The lens position of the top; `nil`: there is none.
  var peak: Double? {
    guard let top = curve.sharpest, top.sharpness > 0, !isFlat, standsOut else {
      return nil
    }
    return (curve.middle ?? curve.peak(within: 2.5 * step) ?? top.position).clamped(to: range)
  }
}
