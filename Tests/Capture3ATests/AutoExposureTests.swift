import Capture3A
import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

@Suite struct AutoExposureTests {
  static let limits = ExposureLimits(
    durations: .microseconds(100)...(.milliseconds(500)), durationStep: .microseconds(100), gains: 1...16,
    gainStep: 1.0 / 16, longest: .seconds(1) / 30)

  /// Runs until the picture is right, then changes the light, and counts frames until it is right for good.
  private func framesUntilRight(
    after stops: Double, camera: inout ModelCamera, exposure: inout AutoExposure
  ) -> (frames: Int, worstAfter: Double, commandsAfter: Int) {
    func step() -> (offset: Double, commanded: Bool) {
      let (frame, known) = camera.frame()
      let next = exposure.observe(frame, takenWith: known.exposure)
      if let next { camera.perform(.expose(next)) }
      return (exposure.targetOffset ?? .infinity, next != nil)
    }
    for _ in 0..<40 { _ = step() }
    camera.light *= exp2(stops)
    let offsets = (0..<80).map { _ in step() }
    let lastWrong = offsets.lastIndex { abs($0.offset) > 0.1 } ?? -1
    return (
      lastWrong + 1, offsets[20...].map { abs($0.offset) }.max()!, offsets[20...].filter(\.commanded).count
    )
  }

  @Test(arguments: 0...5) func isRightWithin20FramesOfAStepAndDoesNotHunt(delay: Int) {
    for seed in 0..<4 {
      for stops in [3.0, -3, 2.2, -1.3, 0.4] {
        var camera = ModelCamera(seed: UInt64(seed))
        camera.delay = delay
        camera.light = 20 * exp2(Double(seed % 5) / 2)
        let dark = Double(seed % 4) * 0.3
        camera.scene = { point in
          let reflectance = point.x < dark ? 0.05 : 0.1 + 0.8 * point.y
          return LinearColor(red: reflectance, green: reflectance, blue: reflectance)
        }
        var exposure = AutoExposure(limits: Self.limits)
        let result = framesUntilRight(after: stops, camera: &camera, exposure: &exposure)
        #expect(
          result.frames <= 20 && result.worstAfter <= 0.1 && result.commandsAfter == 0,
          "\(stops) EV, delay \(delay), seed \(seed): \(result)")
        #expect(!exposure.isAdjusting)
      }
    }
  }

  @Test func framesOfUnknownSettingsAreJudgedAfterTheAssumedDelay() {
    for delay in 0...3 {
      var camera = ModelCamera()
      camera.delay = delay
      camera.tellsSettings = false
      var exposure = AutoExposure(limits: Self.limits, assumedDelay: 3)
      // Something must be known to begin with.
      let (first, _) = camera.frame()
      if let next = exposure.observe(first, takenWith: camera.exposure) { camera.perform(.expose(next)) }
      let result = framesUntilRight(after: 3, camera: &camera, exposure: &exposure)
      #expect(
        result.frames <= 24 && result.worstAfter <= 0.1 && result.commandsAfter == 0, "\(delay): \(result)")
    }
  }

  @Test func aDelayLongerThanSaidIsSeen() {
    // The engine believes a delay of 0; the pixels follow 4 frames later.
    var camera = ModelCamera()
    camera.delay = 4
    var exposure = AutoExposure(limits: Self.limits)
    var said = camera.exposure
    var commands = 0
    for _ in 0..<60 {
      let (frame, _) = camera.frame()
      if let next = exposure.observe(frame, takenWith: said) {
        camera.perform(.expose(next))
        said = next
        commands += 1
      }
    }
    #expect(
      abs(exposure.targetOffset ?? 9) < 0.1 && commands <= 4, "\(commands) \(exposure.targetOffset ?? 9)")
  }

  @Test func autoLocksOnceItIsRight() {
    var camera = ModelCamera()
    var exposure = AutoExposure(limits: Self.limits)
    exposure.set(.auto)
    for _ in 0..<20 {
      let (frame, known) = camera.frame()
      if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
    }
    #expect(exposure.mode == .locked && !exposure.isAdjusting)
    camera.light *= 4
    let (frame, known) = camera.frame()
    #expect(exposure.observe(frame, takenWith: known.exposure) == nil)
    #expect(abs((exposure.targetOffset ?? 0) - 2) < 0.2)
  }

  @Test func biasAndPointDecideWhatIsRight() throws {
    var camera = ModelCamera()
    camera.scene = { point in
      let reflectance = point.x < 0.5 ? 0.05 : 0.8
      return LinearColor(red: reflectance, green: reflectance, blue: reflectance)
    }
    var exposure = AutoExposure(limits: Self.limits)
    func amount(point: NormalizedPoint?, bias: Double) -> Double {
      exposure.meter.point = point
      exposure.bias = bias
      for _ in 0..<40 {
        let (frame, known) = camera.frame()
        if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
      }
      return log2(camera.exposure.amount)
    }
    let dark = amount(point: try NormalizedPoint(x: 0.2, y: 0.5), bias: 0)
    let bright = amount(point: try NormalizedPoint(x: 0.8, y: 0.5), bias: 0)
    #expect(abs(dark - bright - 4) < 0.3)
    let brighter = amount(point: try NormalizedPoint(x: 0.8, y: 0.5), bias: 1)
    #expect(abs(brighter - bright - 1) < 0.1)
  }

  @Test func atItsLimitsItRests() {
    var camera = ModelCamera()
    camera.light = 0.01
    var exposure = AutoExposure(limits: Self.limits)
    var commands = 0
    for index in 0..<60 {
      let (frame, known) = camera.frame()
      if let next = exposure.observe(frame, takenWith: known.exposure) {
        camera.perform(.expose(next))
        if index > 20 { commands += 1 }
      }
    }
    #expect(commands == 0 && !exposure.isAdjusting && (exposure.targetOffset ?? 0) < -1)
    #expect(camera.exposure.gain == 16)
    #expect(camera.exposure.duration <= .seconds(1) / 30)
  }

  /// The camera's delay was measured, too. It is as late as that says, or later.
  @Test(arguments: [DelayTrust.calibrated, .unknown], [0, 3])
  func whatIsOutOfReachIsSaid(trust: DelayTrust, delay: Int) {
    for (light, reason) in [(0.01, "too dark"), (0.1, "too dark"), (20_000, "too bright")] {
      var camera = ModelCamera()
      (camera.delay, camera.light) = (delay, light)
      var exposure = AutoExposure(limits: Self.limits, trust: trust)
      exposure.set(.auto)
      exposure.begin(with: camera.exposure)
      var frames = 0
      while exposure.mode == .auto, frames < 200 {
        let (frame, known) = camera.frame()
        if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
        frames += 1
      }
      #expect(
        exposure.failure?.hasPrefix(reason) == true && !exposure.isAdjusting,
        "\(light), \(frames) frames: \(exposure.failure ?? "none")")
    }
  }

  /// From any exposure, in any light for which there is a right one.
  @Test func whatIsInReachIsFoundInFarFewerCorrectionsThanAreTooMany() {
    var numbers = SeededNumbers(seed: 26)
    var most = 0
    for seed in 0..<200 {
      var camera = ModelCamera(seed: UInt64(seed))
      camera.delay = seed % 6
      camera.noise = [0.01, 1][seed % 2]
      camera.light = exp2(.random(in: 1.5...12, using: &numbers))
      let durations = [100, 500, 20_000, 33_000].map { Duration.microseconds($0) }
      let gain = [1.0, 1, 16].randomElement(using: &numbers)!
      camera.start(exposure: Exposure(duration: durations.randomElement(using: &numbers)!, gain: gain))
      var exposure = AutoExposure(limits: Self.limits)
      exposure.set(.auto)
      exposure.begin(with: camera.exposure)
      var (frames, corrections) = (0, 0)
      while exposure.mode == .auto, frames < 300 {
        let (frame, known) = camera.frame()
        if let next = exposure.observe(frame, takenWith: known.exposure) {
          camera.perform(.expose(next))
          corrections += 1
        }
        frames += 1
      }
      most = max(most, corrections)
      #expect(
        exposure.mode == .locked && exposure.failure == nil && abs(exposure.targetOffset ?? 9) < 0.15,
        "seed \(seed), light \(camera.light), \(frames) frames: \(exposure.failure ?? "none")")
    }
    #expect(most < 14, "\(most)")
  }

  /// At times a camera that was calibrated shows a step to the end of its range a few frames later than it should. What it shows then is right.
  @Test func aLateFrameAtTheEndIsNoFailure() {
    var camera = ModelCamera()
    // Black at first, and right with the longest exposure and the most gain.
    (camera.delay, camera.light) = (4, 0.18 / 0.2 / (16.0 / 30))
    camera.start(exposure: Exposure(duration: .microseconds(100)))
    var exposure = AutoExposure(limits: Self.limits)
    exposure.set(.auto)
    exposure.begin(with: camera.exposure)
    var said = camera.exposure
    for _ in 0..<60 {
      let (frame, _) = camera.frame()
      if let next = exposure.observe(frame, takenWith: said) {
        camera.perform(.expose(next))
        said = next
      }
    }
    #expect(exposure.mode == .locked && exposure.failure == nil, "\(exposure.failure ?? "")")
    #expect(abs(exposure.targetOffset ?? 9) < 0.15)
  }

  /// The light changes with each frame: the corrections get smaller and smaller, and none of them is right.
  @Test func lightThatDoesNotComeToRestIsSaid() {
    var camera = ModelCamera()
    var exposure = AutoExposure(limits: Self.limits)
    exposure.set(.auto)
    var frames = 0
    while exposure.mode == .auto, frames < 400 {
      camera.light = frames % 2 == 0 ? 4 : 40
      let (frame, known) = camera.frame()
      if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
      frames += 1
    }
    #expect(exposure.failure?.contains("does not come to rest") == true, "\(exposure.failure ?? "none")")
    #expect(frames < 200, "\(frames)")
  }

  /// As long as a hand passes, each of many frames is corrected.
  @Test func lightThatComesToRestAfterAWhileIsFound() {
    var camera = ModelCamera()
    var exposure = AutoExposure(limits: Self.limits)
    exposure.set(.auto)
    for index in 0..<120 {
      camera.light = index < 30 ? (index % 2 == 0 ? 4 : 40) : 10
      let (frame, known) = camera.frame()
      if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
    }
    #expect(exposure.mode == .locked && exposure.failure == nil, "\(exposure.failure ?? "")")
    #expect(abs(exposure.targetOffset ?? 9) < 0.15)
  }

  @Test func longerComesBeforeGainAndDurationsFitTheMains() {
    var limits = Self.limits
    #expect(limits.exposure(of: 0.02) == Exposure(duration: .milliseconds(20), gain: 1))
    let dim = limits.exposure(of: 0.1)
    #expect(dim.duration > .milliseconds(33) && abs(dim.gain - 3) < 0.1)
    limits.flickerPeriod = .milliseconds(10)
    let even = limits.exposure(of: 0.025)
    #expect(even.duration == .milliseconds(20) && even.gain == 1.25)
    #expect(limits.exposure(of: 0.004).duration == .milliseconds(4))
    limits.gains = 1...1
    // Without gain the nearest duration.
    limits.flickerPeriod = nil
    #expect(limits.exposure(of: 0.00019).duration == .microseconds(200))
  }

  @Test(arguments: [0.3, 1, 3, 10, 30, 300, 5000].map { $0 / 10_000 })
  func possibleExposuresAreNear(amount: Double) {
    let exposure = Self.limits.exposure(of: amount)
    #expect(abs(log2(exposure.amount / max(amount, 0.0001))) < 0.05, "\(exposure)")
  }
}
