import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsDelayTests {
  private func options(_ delay: Int) -> PhysicsOptions {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = delay
    options.lensSpeed = .infinity
    return options
  }

  private func stage(_ options: PhysicsOptions) -> PhysicsStage {
    PhysicsStage(options, size: FrameSize(width: 160, height: 120))
  }

  private func brightness(_ frame: Frame) -> Double {
    Picture(frame).signal(PhysicsArea(x: 0, y: 0, width: 1, height: 1)).luminance
  }

  @Test(arguments: 0...5) func delayIsExactInPixels(delay: Int) throws {
    let stage = stage(options(delay))
    let dark = brightness(stage.step())
    // Now is inside frame 1's exposure: frame 2 is the first that begins after it.
    let effect = try stage.set(.exposureAbsolute, 200)
    #expect(effect.latched == 2)
    #expect(effect.effective == 2 + UInt64(delay))
    for sequence in 1..<10 as Range<UInt64> {
      let bright = brightness(stage.step())
      #expect((bright > 1.5 * dark) == (sequence >= effect.effective), "frame \(sequence)")
      #expect(stage.truth.frame(sequence)?.exposureDuration == (sequence < effect.effective ? 0.01 : 0.02))
    }
  }

  @Test func everyControlHasItsOwnDelay() throws {
    var options = options(0)
    options.delays = [.gain: 3, .zoomAbsolute: 1]
    let stage = stage(options)
    _ = stage.step()
    #expect(try stage.set(.gain, 10).effective == 5)
    #expect(try stage.set(.zoomAbsolute, 200).effective == 3)
    #expect(try stage.set(.exposureAbsolute, 50).effective == 2)
  }

  @Test func settingsBeforeTheStreamHoldFromItsFirstFrame() throws {
    var model = PhysicsModel(options(5))
    let effect = try model.set(ControlAssignment(.exposureAbsolute, .integer(40)), at: 17)
    #expect(effect.effective == 0 && effect.stream == 0)
    let schedule = FrameSchedule(start: 2_000_000_000, interval: FrameInterval(rate: 30)!)
    model.begin(schedule, Metering(PhysicsScene(aspect: 4.0 / 3, seed: 1)))
    #expect(model.expose(0).exposureDuration == 0.004)
    // Set during a stream, not yet in effect at its end: the next stream has it.
    _ = try model.set(ControlAssignment(.exposureAbsolute, .integer(80)), at: schedule.due(0))
    #expect(model.expose(1).exposureDuration == 0.004)
    model.end()
    model.begin(schedule, Metering(PhysicsScene(aspect: 4.0 / 3, seed: 1)))
    #expect(model.expose(0).exposureDuration == 0.008)
  }

  @Test func frameThatBeginsAtThatMomentHasIt() {
    let schedule = FrameSchedule(start: 1_033_333_333, interval: FrameInterval(rate: 30)!)
    #expect(schedule.begin(0) == 1_000_000_000)
    for sequence in 0..<100 as Range<UInt64> {
      #expect(schedule.firstBeginning(at: schedule.begin(sequence)) == sequence)
      #expect(schedule.firstBeginning(at: schedule.begin(sequence) + 1) == sequence + 1)
    }
  }

  /// A value does not come before the mode that was switched off for it, nor white balance out of order.
  @Test func valuesWaitForTheirModes() throws {
    var options = options(0)
    options.automation = .all
    options.delays = [.autoExposure: 4, .whiteBalanceTemperature: 3]
    let stage = stage(options)
    _ = stage.step()
    try stage.set(.autoExposure, 1)
    #expect(try stage.set(.exposureAbsolute, 77).effective == 6)
    try stage.set(.autoWhiteBalance, 0)
    #expect(try stage.set(.whiteBalanceTemperature, 3000).effective == 5)
    #expect(try stage.set(.redBalance, 600).effective == 5)
    for _ in 0..<8 { _ = stage.step() }
    #expect(stage.truth.latest?.exposureDuration == 0.0077)
    #expect(stage.truth.latest?.gains.red == 600.0 / 512)
  }

  @Test func aReplayedChangeOfTheWorldHasNoDelay() {
    let stage = stage(options(5))
    _ = stage.step()
    let first = stage.changeWorld { $0.light = -2 }
    #expect(first == 2)
    for sequence in 1...3 as ClosedRange<UInt64> {
      #expect(stage.step().sequence == sequence)
      #expect(stage.truth.frame(sequence)?.world.light == (sequence < 2 ? 0 : -2))
    }
  }
}
