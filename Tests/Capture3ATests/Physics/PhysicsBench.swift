import Capture3A
import CaptureControls
import CaptureImaging
import CaptureModel
import CaptureSynthetic

/// The camera with physics, driven by software from its pixels, frame by frame.
struct PhysicsBench {
  let stage: PhysicsStage
  var control: ThreeA
  /// It is known how late settings show; else they are believed to show at once.
  var isDelayKnown = true
  private var lensTargets: [(from: UInt64, position: Double)] = []
  private(set) var actions: [ThreeA.Action] = []
  private let meter = FrameMeter()

  static let exposureLimits = ExposureLimits(
    durations: .microseconds(100)...(.milliseconds(500)), durationStep: .microseconds(100),
    gains: 1...16.9375,
    gainStep: 1.0 / 16, longest: .milliseconds(33))
  static let lens = LensTravel(step: 1.0 / 1023, framesForWholeTravel: 6, zeroIsNear: false)

  init(
    _ control: ThreeA, delay: Int, seed: UInt64 = 1, size: FrameSize = FrameSize(width: 320, height: 240),
    parts: PhysicsOptions.Parts = .all
  ) {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = delay
    options.seed = seed
    options.parts = parts
    stage = PhysicsStage(options, size: size)
    self.control = control
  }

  /// The next frame is measured and judged, and what follows from it is set, while the one after it is already being exposed.
  mutating func step() throws {
    let frame = stage.step()
    let statistics = try meter.measure(frame)
    // What a calibrated engine knows: what was set, and from which frame it holds.
    let truth = stage.truth.frame(frame.sequence)!
    let gains = WhiteBalanceGains(red: truth.gains.red, green: 1, blue: truth.gains.blue)
    let hasBalances = stage.truth.options.parts.contains(.colorBalance)
    let known = KnownSettings(
      exposure: Exposure(duration: .seconds(truth.exposureDuration), gain: truth.iso / 100),
      exposedPart: truth.exposureDuration * 30,
      lensPosition: isDelayKnown
        ? truth.lensTarget : lensTargets.last { $0.from <= truth.sequence }?.position ?? truth.lensTarget,
      whiteBalance: hasBalances
        ? .gains(gains) : .temperature(temperatures.last { $0.from <= truth.sequence }!.kelvin))
    actions = control.observe(statistics, takenWith: known)
    for action in actions { try perform(action) }
  }

  /// The temperatures that were set, and from which frame each holds.
  private var temperatures: [(from: UInt64, kelvin: Double)] = [(0, 5000)]

  private mutating func perform(_ action: ThreeA.Action) throws {
    switch action {
    case .moveLens(let position):
      lensTargets.append((try set(.focusAbsolute, (position * 1023).rounded()).latched, position))
    case .expose(let exposure):
      try set(.exposureAbsolute, (exposure.duration / .microseconds(100)).rounded())
      try set(.gain, ((exposure.gain - 1) * 16).rounded())
    case .balance(.gains(let gains)):
      try set(.redBalance, (gains.red / gains.green * 512).rounded())
      try set(.blueBalance, (gains.blue / gains.green * 512).rounded())
    case .balance(.temperature(let kelvin)):
      temperatures.append((try set(.whiteBalanceTemperature, kelvin.rounded()).effective, kelvin))
    case .focused: break
    }
  }

  @discardableResult
  private func set(_ control: ControlID, _ value: Double) throws -> PhysicsEffect {
    try stage.set(control, Int64(value))
  }
}
