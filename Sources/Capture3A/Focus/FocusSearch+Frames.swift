import CaptureModel

extension FocusSearch {
  /// Takes a frame. `known`: the position to which the lens had been sent, if that is known. `exposure`: seconds times gain; `exposedPart`: the part of
  /// the frame's interval, 0 to 1. `steady`: if it is false, the brightness is changing; the frame is not judged, and the lens is not moved.
  public mutating func observe(
    _ frame: FrameStatistics, takenWith known: Double?, exposure: Double = 1, exposedPart: Double? = nil,
    steady: Bool = true
  ) -> [FocusAction] {
    let target = awaited.settingOfFrame(known: known) ?? lens.position ?? travel.hyperfocalGuess
    lens.follow(
      target: target, speed: 1 / travel.framesForWholeTravel,
      middle: exposedPart.map { $0.clamped(to: 0...1) / 2 } ?? LensEstimate.assumedMiddle)
    guard mode != .locked, steady, let position = lens.position else { return [] }
    let zone = zone(of: frame)
    // Contrast grows with the square of brightness. A little is added so that black is not sharp.
    let sharpness = zone.contrast / ((zone.luma + 0.02) * (zone.luma + 0.02))
    let isThere = awaited.isLatest(target) { abs($0 - $1) < 0.002 } && lens.hasArrived
    // Frames that were not measured have passed too.
    let passed = trust != .calibrated && rested > 0 ? Int(max(frame.sequence, latest) - latest) : 1
    (rested, latest) = (isThere ? rested + max(passed, 1) : 0, frame.sequence)
    guard pace == .quick || rested > DelayLearner.longestDelay else { return [] }

    switch phase {
    case .starting:
      guard !waits else { return [] }
      return start(from: position)
    case .approaching(let end):
      if trust == .unknown, pace == .quick {
        guard !waits else { return [] }
        pause = 0
        phase = .surveying(FocusSurvey())
        return next()
      }
      if abs(position - end) < coarse / 2 || isThere && path.isEmpty {
        record(position, sharpness)
        phase = .sweeping(turn: nil)
      }
      return next()
    case .surveying(let survey): return surveying(survey, frame.sequence, sharpness, at: position)
    case .sweeping(let turn): return sweeping(at: position, target, sharpness, turn, isThere: isThere)
    case .returning(let edge):
      if abs(position - edge) < fine / 2 || isThere && path.isEmpty {
        record(position, sharpness)
        phase = .refining
      }
      return next()
    case .refining: return refining(at: position, sharpness, isThere: isThere)
    case .arriving(let result):
      guard isThere, !waits else { return [] }
      return conclude(result, sharpness: sharpness)
    case .climbing(let climb): return climbing(climb, frame.sequence, sharpness, at: position)
    case .watching(var watch):
      // The lens may still be on its way, and frames may show it later.
      guard isThere, isRested else { return [] }
      let isOther = watch.observe(sharpness: sharpness, light: zone.luminance / exposure)
      phase = .watching(watch)
      guard mode == .continuous, isOther else { return [] }
      restart()
      return start(from: position)
    }
  }

  /// Whether the picture around the point is so white or so black that it shows nothing that could be sharp.
  public func isBlind(_ frame: FrameStatistics) -> Bool {
    let zone = zone(of: frame)
    let offset = ExposureMeter.Reading(luminance: zone.luminance, black: zone.black, white: zone.white).offset
    return zone.white > Self.clipped && offset > Self.tooBright || offset < Self.tooDark
  }
  /// A part of the pixels, 0 to 1.
  private static let clipped = 0.9
  /// In EV from middle grey. White is 2.5.
  private static let tooBright = 1.6
  private static let tooDark = -3.0

  /// Whether frames may be older than the last setting.
  private var waits: Bool { trust == .unknown && !isRested }

  /// Whether every camera shows the last setting by now.
  private var isRested: Bool { trust == .calibrated || rested > DelayLearner.longestDelay }

  /// The sharpness around the point. Zones further away do not count at all: much detail there could outweigh little detail here.
  private func zone(of frame: FrameStatistics) -> Zone {
    let (grid, point) = (frame.grid, point ?? .center)
    // It takes in at least one zone.
    let reach = max(Self.reach, 0.75 * max(1 / Double(grid.rows), aspect / Double(grid.columns)))
    return frame.mean { column, row in
      let center = grid.center(column: column, row: row)
      let (x, y) = ((center.x - point.x) * aspect / reach, (center.y - point.y) / reach)
      let inside = max(1 - x * x - y * y, 0)
      return inside * inside
    }
  }

  /// Starts at the nearer end of the range, and goes to the other end from there.
  private mutating func start(from position: Double) -> [FocusAction] {
    origin = origin ?? awaited.latest ?? position
    (sharpest, faintest) = (0, .infinity)
    curve = SharpnessCurve()
    extensions = 0
    let (low, high) = (range.lowerBound, range.upperBound)
    let isLower = position - low < high - position
    phase = .approaching(end: isLower ? low : high)
    return isLower ? move(to: low, then: high, by: coarse) : move(to: high, then: low, by: coarse)
  }

  private mutating func surveying(
    _ survey: FocusSurvey, _ sequence: UInt64, _ sharpness: Double, at position: Double
  ) -> [FocusAction] {
    var survey = survey
    survey.observe(sequence, at: position, sharpness: sharpness)
    note(sharpness)
    defer { if case .surveying = phase { phase = .surveying(survey) } }
    // It rests at both ends until frames are sure to show it.
    guard path.isEmpty, !waits else { return next() }
    guard survey.isReturning else {
      survey.turnBack()
      let end =
        position - range.lowerBound < range.upperBound - position ? range.upperBound : range.lowerBound
      path = Self.steps(from: position, to: end, by: coarse)
      return next()
    }
    guard let curve = survey.curve(), let top = curve.peak(within: coarse * 1.3) else {
      return (survey.isBlank ? nil : searchAgain()) ?? turnBack()
    }
    return arrive(at: .found(position: travel.possible(top.clamped(to: range))))
  }

  /// When the whole sweep has been sent, the lens is already told to turn back to the sharpest position so far: the last frames seldom change it.
  private mutating func sweeping(
    at position: Double, _ target: Double, _ sharpness: Double, _ turn: Turn?, isThere: Bool
  ) -> [FocusAction] {
    if let turn, abs(target - turn.edge) < 0.002 { return endSweep(turn, from: position) }
    record(position, sharpness)
    if var turn {
      turn.frames += 1
      phase = .sweeping(turn: turn)
      if turn.frames > AwaitedSetting<Double>.longestWait { return endSweep(turn, from: position) }
      return []
    }
    guard path.isEmpty else { return next() }
    if isThere { return endSweep(nil, from: position) }
    let end = awaited.latest ?? position
    guard curve.hasPeak, curve.isFalling, let window = window(from: end), abs(window.edge - end) > coarse
    else {
      return []
    }
    phase = .sweeping(turn: Turn(edge: travel.possible(window.edge)))
    return move(to: window.edge)
  }

  /// Looks for the sharpest position when frames have shown the whole sweep, and sends the lens back to it.
  private mutating func endSweep(_ turn: Turn?, from position: Double) -> [FocusAction] {
    guard curve.hasPeak, let window = window(from: turn?.edge ?? position) else {
      let isPatchy = curve.isTooShort || curve.widestGap(in: range) > 3 * coarse
      return (isPatchy ? searchAgain(patiently: true) : nil) ?? turnBack()
    }
    var (edge, passed) = (window.edge, 0)
    // A little too far is better than another wait.
    if let turn, abs(turn.edge - edge) < coarse { (edge, passed) = (turn.edge, turn.frames + 1) }
    isClear = curve.isClear
    curve = SharpnessCurve()
    phase = .returning(edge: edge)
    return move(to: edge, then: window.end, by: fine, passed: passed)
  }

  private mutating func refining(at position: Double, _ sharpness: Double, isThere: Bool) -> [FocusAction] {
    record(position, sharpness)
    guard let top = curve.sharpest, isThere && path.isEmpty || extensions == 0 && curve.isPastPeak else {
      return next()
    }
    // Frames were missed on the way. Where the delay is not calibrated, a climb looks at the result once more.
    let isPatchy =
      curve.samples.count < 3
      || trust == .calibrated && curve.seen.map { curve.widestGap(in: $0) > 4 * fine } ?? true
    if isPatchy, let steps = searchAgain(patiently: true) { return steps }
    if let further = extend(beyond: top.position) { return further }
    let seen = curve.middle ?? curve.peak(within: fine * 5) ?? top.position
    return arrive(at: .found(position: travel.possible(seen.clamped(to: range))))
  }

  /// Extends the search where the sharpest sample is the last one on its side, unless the range ends there.
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

  private mutating func arrive(at result: FocusResult) -> [FocusAction] {
    phase = .arriving(result)
    atRest = []
    switch result {
    case .found(let position), .notFound(let position): return move(to: position)
    }
  }

  /// Ends the search, or searches once more if the picture is not as sharp as it should be.
  private mutating func conclude(_ result: FocusResult, sharpness: Double) -> [FocusAction] {
    // A patient search has rested at every position.
    if case .found(let position) = result, trust != .calibrated, pace == .quick {
      phase = .climbing(FocusClimb(at: position, in: range, step: climb))
      return []
    }
    // Auto ends here, so that it takes the time to rest at each position; continuous goes on watching.
    if case .found = result, sharpness < 0.6 * sharpest, let steps = searchAgain(patiently: mode == .auto) {
      return steps
    }
    if case .found = result, !isClear {
      atRest.append(sharpness)
      let isSure = atRest.count >= Self.framesAtRest.lowerBound && height(of: atRest) > Self.surelyHigh
      guard isSure || atRest.count >= Self.framesAtRest.upperBound else { return [] }
      guard isSure || height(of: atRest) > Self.high else {
        return searchAgain(patiently: mode == .auto) ?? turnBack()
      }
    }
    return finish(result)
  }

  private mutating func climbing(
    _ climb: FocusClimb, _ sequence: UInt64, _ sharpness: Double, at place: Double
  ) -> [FocusAction] {
    var climb = climb
    let isSeen = climb.observe(sequence, sharpness: sharpness, at: place, rested: rested)
    phase = .climbing(climb)
    guard isSeen else { return [] }
    if let next = climb.next().map(travel.possible), next != climb.position {
      climb.move(to: next)
      phase = .climbing(climb)
      return move(to: next)
    }
    observations = climb.observations
    // The sweep has seen a sharper picture elsewhere.
    let isSharp = (climb.curve.sharpest?.sharpness ?? 0) > sharpest * 0.85
    if !isSharp, let steps = searchAgain() { return steps }
    // A top that is as wide as the climb is sharp where the climb began.
    let wide =
      climb.isFlat && isSharp && height(of: climb.curve.samples.map(\.sharpness)) > Self.high
      ? climb.curve.samples.first?.position : nil
    guard let peak = climb.peak ?? wide, isSharp || mode == .continuous else {
      return searchAgain() ?? turnBack()
    }
    let position = travel.possible(peak)
    return move(to: position) + finish(.found(position: position))
  }

  /// Sends the lens back to where it was before: nothing was found.
  private mutating func turnBack() -> [FocusAction] {
    arrive(at: .notFound(position: travel.possible(origin ?? travel.hyperfocalGuess)))
  }

  private mutating func finish(_ result: FocusResult) -> [FocusAction] {
    phase = .watching(FocusWatch())
    guard mode == .auto else { return [.finished(result)] }
    mode = .locked
    if case .notFound = result {
      failure = "nothing around the point gets sharper at any position of the lens"
    }
    return [.finished(result)]
  }

  /// Searches once more: the scene changed meanwhile, or, if the delay was never measured, frames were judged by positions that they did not have.
  /// `patiently`: also where the delay is calibrated, because the lens was not seen on its way.
  private mutating func searchAgain(patiently: Bool = false) -> [FocusAction]? {
    guard retries < 1 else { return nil }
    retries += 1
    if patiently || trust != .calibrated { pace = .patient }
    return start(from: lens.position ?? travel.hyperfocalGuess)
  }

  /// Records the sharpness at a position. While the lens rests where it was before, there is nothing new.
  private mutating func record(_ position: Double, _ sharpness: Double) {
    guard curve.samples.last?.position != position else { return }
    curve.add(position, sharpness)
    note(sharpness)
  }

  /// How sharp frames are between the least and the most that the search has seen, 0 to 1. What only noise made the sharpest is as sharp as anything else
  /// when it is seen again.
  private func height(of frames: [Double]) -> Double {
    let mean = frames.reduce(0, +) / Double(max(frames.count, 1))
    return (mean - faintest) / max(sharpest - faintest, 1e-12)
  }
  private static let high = 0.66
  private static let surelyHigh = 0.75

  private mutating func note(_ sharpness: Double) {
    (sharpest, faintest) = (max(sharpest, sharpness), min(faintest, sharpness))
  }
}
