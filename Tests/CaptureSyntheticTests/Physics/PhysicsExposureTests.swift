import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsExposureTests {
  private func stage(_ change: (inout PhysicsOptions) -> Void = { _ in }) -> PhysicsStage {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = 0
    options.lensSpeed = .infinity
    change(&options)
    return PhysicsStage(options, size: FrameSize(width: 160, height: 120))
  }

  /// The chart's patch of 18 %, at its focus.
  private func grey(_ stage: PhysicsStage, _ frame: Frame) -> SensorColor {
    Picture(frame).signal(stage.truth.patches[3].area)
  }

  private func focusOnChart(_ stage: PhysicsStage) throws {
    let area = stage.truth.patches[3].area
    let position = stage.truth.lensPosition(inFocusAt: area.point(0.5, 0.5))
    try stage.set(.focusAbsolute, Int64((position * 1023).rounded()))
  }

  @Test func patchHasTheSignalThatPhysicsSays() throws {
    let stage = stage()
    try focusOnChart(stage)
    let signal = grey(stage, stage.step())
    // 10 ms at ISO 100 under 0 EV: its albedo.
    #expect(abs(signal.green / 0.18 - 1) < 0.06, "\(signal)")
  }

  @Test func signalDoublesWithEachStop() throws {
    let stage = stage()
    try focusOnChart(stage)
    var last: Double?
    for ticks in [25, 50, 100, 200] as [Int64] {
      try stage.set(.exposureAbsolute, ticks)
      _ = stage.step()
      let signal = grey(stage, stage.step()).green
      if let last { #expect(abs(signal / last - 2) < 0.08, "\(ticks): \(signal) after \(last)") }
      last = signal
    }
    // ISO 200 for 10 ms is ISO 100 for 20 ms; and light is light.
    try stage.set(.exposureAbsolute, 100)
    try stage.set(.gain, 16)
    _ = stage.step()
    #expect(abs(grey(stage, stage.step()).green / last! - 1) < 0.04)
    try stage.set(.gain, 0)
    stage.changeWorld { $0.light = 1 }
    _ = stage.step()
    #expect(abs(grey(stage, stage.step()).green / last! - 1) < 0.04)
  }

  @Test func exposureEndsWithTheFrame() throws {
    let stage = stage()
    try stage.set(.exposureAbsolute, 5000)
    let truth = try #require(stage.truth.frame(stage.step().sequence))
    #expect(abs(truth.exposureDuration - 1 / 30.0) < 1e-9)
  }

  @Test func brightThingsAreCut() throws {
    let stage = stage()
    stage.changeWorld { $0.light = 5 }
    let frame = stage.step()
    #expect(grey(stage, frame).green > 0.99)
    #expect(Picture(frame).luma(80, 60) <= 235)
  }

  @Test func noiseGrowsWithISO() throws {
    func deviation(_ noise: Double, gain: Int64) throws -> Double {
      let stage = stage { $0.noise = noise }
      try stage.set(.gain, gain)
      try stage.set(.exposureAbsolute, 100 * 16 / (16 + gain))
      let pictures = (Picture(stage.step()), Picture(stage.step()))
      var sum = 0.0
      for y in 0..<120 {
        for x in 0..<160 {
          let difference = Double(pictures.0.luma(x, y) - pictures.1.luma(x, y))
          sum += difference * difference
        }
      }
      return (sum / (2 * 160 * 120)).squareRoot()
    }
    #expect(try deviation(0, gain: 0) == 0)
    let quiet = try deviation(1, gain: 0)
    let loud = try deviation(1, gain: 240)
    // Photons: a sixteenth of them makes four times the noise.
    #expect(quiet > 0.2 && abs(loud / quiet - 4) < 1, "\(quiet), \(loud)")
  }

  @Test func sameSeedMakesTheSamePictures() {
    func pictures(_ seed: UInt64) -> [[UInt8]] {
      let stage = stage { $0.seed = seed }
      return (0..<3).map { _ in stage.step().payload.bytes }
    }
    #expect(pictures(7) == pictures(7))
    #expect(pictures(7) != pictures(8))
    #expect(Set(pictures(7)).count == 3)
  }

  @Test func truthKnowsTheIdealExposure() throws {
    let stage = stage { $0.noise = 0 }
    let area = PhysicsArea(x: 0.05, y: 0.05, width: 0.9, height: 0.9)
    let ideal = stage.truth.idealExposure(signal: 0.1, in: area)
    stage.changeWorld { $0.light = -1 }
    #expect(abs(stage.truth.idealExposure(signal: 0.1, in: area) / ideal - 2) < 1e-9)
    stage.changeWorld { $0.light = 0 }
    try stage.set(.exposureAbsolute, Int64((ideal * 100).rounded()))
    let signal = Picture(stage.step()).signal(PhysicsArea(x: 0, y: 0, width: 1, height: 1)).luminance
    #expect(abs(signal / 0.1 - 1) < 0.05, "\(signal)")
  }
}
