import CaptureModel

extension FocusSearch {
  /// Takes a frame. `known`: the position to which the lens had been sent when the frame was taken; `nil`: unknown. `exposure`: seconds times gain.
  /// `exposedPart`: the part of the frame's interval that its exposure takes, 0 to 1; `nil`: unknown. `steady`: `false` while the brightness changes;
  /// then the frame is not judged, and the lens is not moved.
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
    // Contrast grows with the square of the brightness, and is divided by it. A little is added to the brightness so that black does not count as
    // sharp.
    let sharpness = zone.contrast / ((zone.luma + 0.02) * (zone.luma + 0.02))
    let isThere = awaited.isLatest(target) { abs($0 - $1) < 0.002 } && lens.hasArrived
    // Where the delay is not calibrated, frames between the latest one and this one count too, although they were not measured.
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
      // This frame may still show the lens on its way.
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
  /// A picture may show nothing if more than this part, 0 to 1, of the pixels around the point is white.
  private static let clipped = 0.9
  /// Where most pixels are white, the picture shows nothing if it is brighter than this, in EV from middle grey. White is 2.5.
  private static let tooBright = 1.6
  /// A picture that is darker than this, in EV from middle grey, shows nothing.
  private static let tooDark = -3.0

  /// Whether frames may still show an earlier lens position, because nobody knows the delay.
  private var waits: Bool { trust == .unknown && !isRested }

  /// Whether frames show the latest lens position by now, even on the slowest camera.
  private var isRested: Bool { trust == .calibrated || rested > DelayLearner.longestDelay }

  /// The sharpness around the point. Zones further away do not count at all: much detail there could outweigh little detail here.
  private func zone(of frame: FrameStatistics) -> Zone {
    let (grid, point) = (frame.grid, point ?? .center)
    // The reach takes in at least one zone.
    let reach = max(Self.reach, 0.75 * max(1 / Double(grid.rows), aspect / Double(grid.columns)))
    return frame.mean { column, row in
      let center = grid.center(column: column, row: row)
      let (x, y) = ((center.x - point.x) * aspect / reach, (center.y - point.y) / reach)
      let inside = max(1 - x * x - y * y, 0)
      return inside * inside
    }
  }

  /// Starts a sweep: sends the lens to the nearer end of the range, and from there to the other end.
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
    // The lens rests at both ends of the range until frames are sure to show it there.
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

  /// Takes a frame of the sweep. Once the last position of the sweep was set, and frames have shown a peak, the lens is sent back to where the fine
  /// search begins: the frames that are still to come seldom move the peak.
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

  /// Looks for the sharpest position once frames have shown the whole sweep, and sends the lens back to where the fine search begins.
  private mutating func endSweep(_ turn: Turn?, from position: Double) -> [FocusAction] {
    guard curve.hasPeak, let window = window(from: turn?.edge ?? position) else {
      let isPatchy = curve.isTooShort || curve.widestGap(in: range) > 3 * coarse
      return (isPatchy ? searchAgain(patiently: true) : nil) ?? turnBack()
    }
    var (edge, passed) = (window.edge, 0)
    // If the lens was already sent back to an edge nearby, the fine search begins there: going a little too far is better than another wait.
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
    // Frames that were missed on the way leave too few samples, or wide gaps between them. Gaps count only where the delay is calibrated: elsewhere a
    // climb verifies the result.
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
    // Where the delay is not calibrated, a climb verifies the result. A patient search needs none, since it has rested at every position.
    if case .found(let position) = result, trust != .calibrated, pace == .quick {
      phase = .climbing(FocusClimb(at: position, in: range, step: climb))
      return []
    }
    // In auto mode the second search is patient, because its result is final. In continuous mode the picture is watched afterwards.
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
    // Whether the climb has seen a picture about as sharp as the sharpest one of the sweep, which may be elsewhere.
    let isSharp = (climb.curve.sharpest?.sharpness ?? 0) > sharpest * 0.85
    if !isSharp, let steps = searchAgain() { return steps }
    // Where the top is wider than the climb, the position where the climb began is sharp.
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
  /// Where the delay is not calibrated, the second search is patient. `patiently`: it is patient in any case, because frames did not show the lens on
  /// its way. Returns `nil` if there was a second search already.
  private mutating func searchAgain(patiently: Bool = false) -> [FocusAction]? {
    guard retries < 1 else { return nil }
    retries += 1
    if patiently || trust != .calibrated { pace = .patient }
    return start(from: lens.position ?? travel.hyperfocalGuess)
  }

  /// Records the sharpness at a position, unless the latest sample is of the same position.
  private mutating func record(_ position: Double, _ sharpness: Double) {
    guard curve.samples.last?.position != position else { return }
    curve.add(position, sharpness)
    note(sharpness)
  }

  /// Where the mean sharpness of `frames` lies between the least (0) and the greatest (1) that the search has seen. If only noise made a position the
  /// sharpest, later frames of it are no sharper than others.
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
