import CaptureControls
import CaptureModel
import CaptureSystem

/// Calibrates one camera: it sets each control to and fro between two values, and finds the first frame that has each change.
struct Calibration {
  private let measurer: FrameMeasurer
  private var frames: AsyncStream<MeasuredFrame>.Iterator
  private var clock: FrameClock
  private let camera: any Camera
  /// The camera's name in messages.
  private let name: String
  private let settings: DeviceSettings

  /// A change has to show within this many frames.
  private static let window = 12
  /// How many frames make a sample.
  private static let framesPerSample = 6
  /// How long a control that takes time, such as that of a lens, needs to arrive at a value.
  private static let travelTime = Duration.seconds(1)
  /// This many trials with equal delays are enough.
  private static let leastTrials = 8
  /// How many trials are made with a pair of values at most.
  private static let mostTrials = 16
  /// No further values of a control are tried after this many frames; after twice as many for controls that take time.
  private static let mostFrames = 600
  /// How many frames the calibration has taken.
  private(set) var framesTaken = 0

  init(
    of camera: any Camera, named name: String, _ settings: DeviceSettings, _ measurer: FrameMeasurer,
    interval: FrameInterval?
  ) {
    (self.camera, self.name, self.settings) = (camera, name, settings)
    self.measurer = measurer
    frames = measurer.frames.makeAsyncIterator()
    clock = FrameClock(nominal: interval)
  }

  /// Takes some frames, while the camera's own automatic modes end, and learns the frame rate from them. Throws `failedPrecondition` if the picture
  /// is black or white all over.
  mutating func begin() async throws(CaptureError) {
    let brightness = try await take(10).last!.signature.brightness
    if brightness.upperBound < Self.black {
      throw CaptureError(
        .failedPrecondition,
        "the picture of \(name) is black, so nothing can be measured in it: take a cap off the lens, or give it light or a longer exposure",
        .init(.sceneUnsuitable)
      )
    }
    if brightness.lowerBound > Self.white {
      throw CaptureError(
        .failedPrecondition,
        "the picture of \(name) is white all over, so nothing can be measured in it: give it less light or a shorter exposure",
        .init(.sceneUnsuitable)
      )
    }
  }
  /// Limits of the mean luma, 0…1: the picture is black if all its parts are below the first, and white if all are above the second.
  private static let (black, white) = (0.03, 0.98)

  /// Measures one control. It leaves the control at one of the values that it tried.
  ///
  /// It tries no further values after ``mostFrames`` frames, and gives up after three pairs of values that show nothing, as a rule some 230 frames.
  /// `progress` is called with what is being done.
  mutating func measure(
    _ target: CalibrationTarget, progress: (String) -> Void
  ) async throws(CaptureError) -> CalibrationProgress.Result {
    if !target.requirements.isEmpty {
      try await settings.apply(.assigning(target.requirements), by: .calibration, on: camera)
    }
    var result = CalibrationProgress.Result(
      id: target.control.id, name: target.control.name, isVisible: false, delay: nil)
    let end = framesTaken + Self.mostFrames * (target.isActuator ? 2 : 1)
    var pairs = target.pairs[...]
    var isFirst = true
    while framesTaken < end, let pair = pairs.popFirst() {
      defer {
        // If the first pair of values, near the present one, shows nothing, only the two pairs whose values are furthest apart are tried.
        if isFirst, !result.isVisible { pairs = ArraySlice(pairs.suffix(2).reversed()) }
        isFirst = false
      }
      progress("setting it to \(pair.0) and \(pair.1)")
      let found = try await trials(CalibrationStates(target, pair), until: end) { delays in
        delays.all.count >= Self.leastTrials && Set(delays.all).count == 1
      }
      guard let found else { continue }
      result.isVisible = true
      result.delay = MeasuredDelay(trials: found.all)
      if result.delay != nil { break }
    }
    return result
  }

  /// Measures the switch of an automatic mode by setting it to and fro between off, with a value that shows, and on. Leaves the mode off.
  ///
  /// It works like ``measure(_:progress:)`` for a control that takes time, since a mode takes time too.
  mutating func measure(
    _ target: ModeSwitchTarget, progress: (String) -> Void
  ) async throws(CaptureError) -> CalibrationProgress.Result {
    var result = CalibrationProgress.Result(
      id: target.mode.control.id, name: target.mode.control.name, isVisible: false, delay: nil)
    let end = framesTaken + Self.mostFrames * 2
    for value in target.values where framesTaken < end && result.delay == nil {
      progress("switching it to and fro, with \(target.witness.name) at \(value)")
      let found = try await trials(CalibrationStates(target, value), until: end) { delays in
        Set(delays.toFirst).count == 1 && Set(delays.toSecond).count == 1
          && min(delays.toFirst.count, delays.toSecond.count) >= Self.leastTrials / 2
      }
      guard let found else { continue }
      result.isVisible = true
      result.delay = ModeSwitch.delay(
        manual: found.toFirst, automatic: found.toSecond, witness: target.witnessDelay)
    }
    try await settings.apply(target.end, by: .calibration, on: camera)
    return result
  }

  /// After how many frames changes showed, by the state to which they led.
  private struct Delays {
    var toFirst: [Int] = []
    var toSecond: [Int] = []
    var all: [Int] { toFirst + toSecond }
  }

  /// Sets the camera to and fro between two states, until there are enough delays; `nil`: frames do not show which state the camera is in.
  private mutating func trials(
    _ states: CalibrationStates, until end: Int, isEnough: (Delays) -> Bool
  ) async throws(CaptureError) -> Delays? {
    guard let axis = try await learn(states) else { return nil }
    var delays = Delays()
    var (shown, made) = (0, 0)
    // `learn` leaves the camera in the second state.
    var isAtSecond = true
    while made < Self.mostTrials, framesTaken < end {
      let outcome = try await trial(states, toSecond: !isAtSecond, along: axis)
      isAtSecond.toggle()
      made += 1
      if outcome.isShown { shown += 1 }
      if let delay = outcome.delay {
        if isAtSecond { delays.toSecond.append(delay) } else { delays.toFirst.append(delay) }
      }
      if made == 2 && shown == 0 || isEnough(delays) { break }
    }
    return shown * 2 > made && made > 2 ? delays : nil
  }

  /// Learns how frames look in the two states.
  private mutating func learn(_ states: CalibrationStates)
    async throws(CaptureError) -> SignatureAxis?
  {
    var samples: [[FrameSignature]] = []
    for state in [states.first, states.second] {
      try await set(state)
      _ = try await take(Self.window + (states.isGradual ? travelFrames : 0))
      samples.append(try await take(Self.framesPerSample).map(\.signature))
    }
    return SignatureAxis(from: samples[0], to: samples[1])
  }

  private mutating func trial(
    _ states: CalibrationStates, toSecond: Bool, along axis: SignatureAxis
  ) async throws(CaptureError) -> (delay: Int?, isShown: Bool) {
    let before = try await take(3).map { axis.score($0.signature) }.reduce(0, +) / 3
    // Each trial begins at another time within a frame.
    let phase = Double(clock.interval ?? 0) * Double.random(in: 0..<1)
    try? await Task.sleep(for: .nanoseconds(Int64(phase)), clock: .suspending)
    let moment = try await set(toSecond ? states.second : states.first)
    // A gradual change has a low threshold, since its first frame shows little of it. Any other change is complete in its first frame.
    let threshold = states.isGradual ? max(0.02, 8 * axis.deviation) : 0.35
    var trial = DelayTrial(moment: moment, before: before, threshold: min(threshold, 0.35))
    let goal = toSecond ? 1.0 : 0.0
    var arrived = 0
    var last = before
    let most = Self.window + 4 + (states.isGradual ? travelFrames : 0)
    for _ in 0..<most where arrived < 3 {
      let frame = try await next()
      last = axis.score(frame.signature)
      trial.add(frame.sequence, score: last)
      arrived =
        abs(last - goal) < (states.isGradual ? 0.05 : 0.25) && trial.firstChanged != nil ? arrived + 1 : 0
    }
    if states.isGradual { _ = try await take(4) }
    return (trial.delay(clock), abs(last - goal) < 0.3 && abs(last - before) > 0.4)
  }

  @discardableResult
  private func set(_ state: CalibrationStates.State) async throws(CaptureError) -> ControlMoment {
    try await settings.apply(
      state.plan, zoom: state.zoom, lamp: state.lamp, by: .calibration, on: camera)
  }

  // MARK: Frames

  private var travelFrames: Int {
    guard let interval = clock.interval, interval > 0 else { return 30 }
    return Int(Self.travelTime / .nanoseconds(Int64(interval)))
  }

  private mutating func take(_ count: Int) async throws(CaptureError)
    -> [MeasuredFrame]
  {
    var taken: [MeasuredFrame] = []
    for _ in 0..<count { taken.append(try await next()) }
    return taken
  }

  private mutating func next() async throws(CaptureError) -> MeasuredFrame {
    measurer.demand()
    let frame = await Patience.run(
      atMost: measurer.longestSilence,
      expire: { [measurer, name] in measurer.endForSilence(of: name) }
    ) { await frames.next(isolation: #isolation) }
    guard let frame else {
      try CaptureError.checkCancellation()
      throw measurer.error ?? CaptureError(.unavailable, "the stream ended", .init(.streamEnded))
    }
    clock.tick(frame.sequence, frame.time, frame.source)
    framesTaken += 1
    return frame
  }
}
