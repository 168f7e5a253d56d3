import CaptureModel

/// The paths of the lens.
extension FocusSearch {
  var range: ClosedRange<Double> { travel.positions(restriction) }
  /// The step of the sweep. In a quick search it is no longer than the way that the lens moves within a frame.
  var coarse: Double {
    let step = (range.upperBound - range.lowerBound) / 11
    return pace == .quick ? min(step, 1 / travel.framesForWholeTravel) : step
  }
  var fine: Double { max(coarse / 3, travel.step) }

  mutating func move(to position: Double) -> [FocusAction] {
    let possible = travel.possible(position)
    guard awaited.latest != possible else { return [] }
    awaited.set(possible)
    rested = 0
    return [.move(to: possible)]
  }

  /// Takes the next step of the path, once the lens is where the path begins.
  mutating func next() -> [FocusAction] {
    guard pause <= 0 else {
      pause -= 1
      return []
    }
    return path.isEmpty ? [] : move(to: path.removeFirst())
  }

  /// Sends the lens to the beginning of a path. The path starts when the lens has had the time to get there, not when a frame shows it there.
  /// `passed`: how many frames ago the lens was already sent there.
  mutating func move(to start: Double, then end: Double, by step: Double, passed: Int = 0)
    -> [FocusAction]
  {
    path = Self.steps(from: start, to: end, by: step)
    let way =
      max(abs((lens.position ?? start) - start), abs((awaited.latest ?? start) - start))
      * travel.framesForWholeTravel
    pause = max(Int(way.rounded(.up)) - passed, 0)
    return move(to: start)
  }

  /// The range of the fine search, which goes from `edge`, on the side on which the lens is, to `end`.
  func window(from position: Double) -> (edge: Double, end: Double)? {
    guard let top = curve.peak(within: coarse * 1.3) else { return nil }
    let margin = 1.25 * coarse * (position >= top ? 1 : -1)
    return ((top + margin).clamped(to: range), (top - margin).clamped(to: range))
  }

  static func steps(from start: Double, to end: Double, by step: Double) -> [Double] {
    let count = max(Int((abs(end - start) / step - 1e-6).rounded(.up)), 1)
    return (1...count).map { start + (end - start) * Double($0) / Double(count) }
  }
}
