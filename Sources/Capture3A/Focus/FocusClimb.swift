import CaptureModel

/// Verifies what a search found, on a camera of which nobody knows which frame has which lens position: the lens rests at positions around it
/// until every camera would show them, further and further away, until sharpness is seen to fall on both sides.
struct FocusClimb: Sendable {
  let range: ClosedRange<Double>
  /// Between positions.
  let step: Double
  /// Where the lens was sent.
  private(set) var position: Double
  private var former: Double
  private(set) var curve = SharpnessCurve()
  private var readings: [Double] = []
  /// Of the position before.
  private var before: Double?
  private var path: [(sequence: UInt64, sharpness: Double)] = []
  private var believed: UInt64?

  /// Frames at each position whose mean counts.
  static let counted = 2
  /// Less sharp by so much is on the way down.
  static let fallen = 0.9
  static let mostPositions = 16
  /// When after so many positions no side has fallen, there is no hill.
  static let mostFlat = 9

  init(at position: Double, in range: ClosedRange<Double>, step: Double) {
    (self.range, self.step, self.position, former) = (range, step, position, position)
  }

  mutating func move(to position: Double) {
    former = self.position
    self.position = position
    (readings, path, believed) = ([], [], nil)
  }

  /// A frame came. `place`: where the lens is believed to have been; `rested`: for so many frames where it was sent. Returns whether enough
  /// was seen of this position.
  mutating func observe(_ sequence: UInt64, sharpness: Double, at place: Double, rested: Int) -> Bool {
    path.append((sequence, sharpness))
    if believed == nil, abs(place - position) <= abs(former - position) / 2 { believed = sequence }
    guard rested > Footing.patience else { return false }
    readings.append(sharpness)
    guard readings.count >= Self.counted else { return false }
    let mean = readings.reduce(0, +) / Double(readings.count)
    curve.add(position, mean)
    defer { before = mean }
    observation = before.flatMap { late(from: $0, to: mean) } ?? observation
    return true
  }

  /// Frames by which a position showed later than was believed, as far as one was seen.
  private(set) var observation: Int?

  private func late(from old: Double, to new: Double) -> Int? {
    guard let believed, abs(new - old) > Self.clear * max(new, old) else { return nil }
    let middle = (old + new) / 2
    // All frames since the lens was told, none missing: the first is of before, and once it differs it goes on to.
    guard let first = path.firstIndex(where: { ($0.sharpness > middle) == (new > middle) }), first > 0,
      path[first...].allSatisfy({ ($0.sharpness > middle) == (new > middle) }),
      path[first].sequence == path[first - 1].sequence + 1
    else { return nil }
    return Int(path[first].sequence) - Int(believed)
  }
  private static let clear = 0.15

  /// Where to go next; `nil`: enough is known.
  func next() -> Double? {
    guard let top = curve.sharpest else { return nil }
    guard curve.samples.count < (isFlat ? Self.mostFlat : Self.mostPositions) else { return nil }
    let positions = curve.samples.map(\.position)
    let sides = [(positions.min()!, -1.0), (positions.max()!, 1.0)]
    // The side of which less was seen goes first.
    for (edge, direction) in sides.sorted(by: { abs($0.0 - positions[0]) < abs($1.0 - positions[0]) }) {
      let sample = curve.samples.first { $0.position == edge }!
      guard sample.sharpness > Self.fallen * top.sharpness else { continue }
      let next = (edge + direction * step).clamped(to: range)
      if abs(next - edge) > step / 4 { return next }
    }
    return nil
  }

  /// Nothing fell on either side: it began on a top that is wider than the climb, or where there is none.
  var isFlat: Bool { curve.sharpest.map { curve.least >= Self.fallen * $0.sharpness } ?? false }

  /// The place of the top, as far as there is one.
  var peak: Double? {
    guard let top = curve.sharpest, top.sharpness > 0, !isFlat else {
      return nil
    }
    return (curve.middle ?? curve.peak(within: 2.5 * step) ?? top.position).clamped(to: range)
  }
}
