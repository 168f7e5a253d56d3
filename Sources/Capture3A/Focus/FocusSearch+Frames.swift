import CaptureModel

extension FocusSearch {
  /// A frame came, taken with the lens told to be at `known`, if that is known. `exposure`: seconds times gain. `steady`: else the frame is not
  /// judged, its brightness being on the move; nor is the lens moved.
  public mutating func observe(
    _ frame: FrameStatistics, takenWith known: Double?, exposure: Double = 1, steady: Bool = true
  ) -> [FocusAction] {
    let target = awaited.settingOfFrame(known: known) ?? lens.position ?? travel.hyperfocalGuess
    lens.frame(target: target, speed: 1 / travel.framesForWholeTravel)
    guard mode != .locked, steady, let position = lens.position else { return [] }
    let zone = frame.mean(around: point ?? .center, radius: Self.radius, aspect: aspect)
    // Contrast goes with the square of brightness; a little is added so that black is not sharp.
    let sharpness = zone.contrast / ((zone.luma + 0.02) * (zone.luma + 0.02))
    let isThere = awaited.isLatest(target) { abs($0 - $1) < 0.002 } && lens.hasArrived

    switch phase {
    case .starting: return start(from: position)
    case .approaching: return isThere ? sweep(from: position, sharpness) : []
    case .sweeping: return sweeping(at: position, sharpness, isThere: isThere)
    case .returning(let edge): return isThere ? refine(from: edge, sharpness) : []
    case .refining: return refining(at: position, sharpness, isThere: isThere)
    case .arriving(let result, let expected):
      return isThere ? arrive(result, sharpness: sharpness, expected: expected) : []
    case .watching(var watch):
      let isOther = watch.observe(sharpness: sharpness, light: zone.luminance / exposure)
      phase = .watching(watch)
      guard mode == .continuous, isOther else { return [] }
      restart()
      return start(from: position)
    }
  }

  private var range: ClosedRange<Double> { travel.positions(restriction) }
  /// Of the sweep; not faster than the lens.
  private var coarse: Double {
    min((range.upperBound - range.lowerBound) / 14, 1 / travel.framesForWholeTravel)
  }
  private var fine: Double { max(coarse * 0.4, travel.step) }

  private mutating func move(to position: Double) -> [FocusAction] {
    let possible = travel.possible(position)
    guard awaited.latest != possible else { return [] }
    awaited.set(possible)
    return [.move(to: possible)]
  }

  private mutating func next() -> [FocusAction] { path.isEmpty ? [] : move(to: path.removeFirst()) }

  private mutating func start(from position: Double) -> [FocusAction] {
    origin = position
    curve = SharpnessCurve()
    extensions = 0
    phase = .approaching
    let isNearLower = position - range.lowerBound < range.upperBound - position
    return move(to: isNearLower ? range.lowerBound : range.upperBound)
  }

  /// At an end of the range: off to the other.
  private mutating func sweep(from position: Double, _ sharpness: Double) -> [FocusAction] {
    curve.add(position, sharpness)
    let isLower = position - range.lowerBound < range.upperBound - position
    path = Self.steps(from: position, to: isLower ? range.upperBound : range.lowerBound, by: coarse)
    phase = .sweeping
    return next()
  }

  private mutating func sweeping(at position: Double, _ sharpness: Double, isThere: Bool) -> [FocusAction] {
    record(position, sharpness)
    let isOver = isThere && path.isEmpty
    guard isOver || curve.isPastPeak else { return next() }
    guard curve.hasPeak, let top = curve.peak(within: coarse * 1.01) else {
      let back = origin ?? travel.hyperfocalGuess
      return arrive(at: .notFound(position: travel.possible(back)), sharpness: 0)
    }
    // From the side on which the lens is.
    let margin = coarse * (position >= top ? 1.5 : -1.5)
    let (near, far) = (top + margin, top - margin)
    path = Self.steps(from: near.clamped(to: range), to: far.clamped(to: range), by: fine)
    curve = SharpnessCurve()
    phase = .returning(from: near.clamped(to: range))
    return move(to: near.clamped(to: range))
  }

  private mutating func refine(from edge: Double, _ sharpness: Double) -> [FocusAction] {
    curve.add(lens.position ?? edge, sharpness)
    phase = .refining
    return next()
  }

  private mutating func refining(at position: Double, _ sharpness: Double, isThere: Bool) -> [FocusAction] {
    record(position, sharpness)
    guard isThere, path.isEmpty, let top = curve.sharpest else { return next() }
    if let further = extend(beyond: top.position) { return further }
    let peak = (curve.peak(within: fine * 3) ?? top.position).clamped(to: range)
    return arrive(at: .found(position: travel.possible(peak)), sharpness: top.sharpness)
  }

  /// Goes on where the sharpest sample is the last one on its side, unless the range ends there.
  private mutating func extend(beyond top: Double) -> [FocusAction]? {
    let positions = curve.samples.map(\.position)
    guard extensions < 2, let lowest = positions.min(), let highest = positions.max() else { return nil }
    let direction = top >= highest - fine / 2 ? 1.0 : top <= lowest + fine / 2 ? -1.0 : 0
    let end = (top + direction * fine * 5).clamped(to: range)
    guard direction != 0, abs(end - top) > fine / 2 else { return nil }
    extensions += 1
    path = Self.steps(from: top, to: end, by: fine)
    return next()
  }

  private mutating func arrive(at result: FocusResult, sharpness: Double) -> [FocusAction] {
    phase = .arriving(result, sharpness: sharpness)
    switch result {
    case .found(let position), .notFound(let position): return move(to: position)
    }
  }

  /// At the end: unless what should be sharp there is not, because the scene changed meanwhile.
  private mutating func arrive(_ result: FocusResult, sharpness: Double, expected: Double) -> [FocusAction] {
    if sharpness < 0.6 * expected, retries < 1 {
      retries += 1
      return start(from: lens.position ?? travel.hyperfocalGuess)
    }
    phase = .watching(FocusWatch())
    if mode == .auto { mode = .locked }
    return [.finished(result)]
  }

  /// While the lens rests where it was before, nothing new is seen.
  private mutating func record(_ position: Double, _ sharpness: Double) {
    guard curve.samples.last?.position != position else { return }
    curve.add(position, sharpness)
  }

  private static func steps(from start: Double, to end: Double, by step: Double) -> [Double] {
    let count = max(Int((abs(end - start) / step - 1e-6).rounded(.up)), 1)
    return (1...count).map { start + (end - start) * Double($0) / Double(count) }
  }
}
