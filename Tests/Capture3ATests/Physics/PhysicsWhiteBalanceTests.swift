import Capture3A
import CaptureModel
import CaptureSynthetic
import Testing

@Suite struct PhysicsWhiteBalanceTests {
  private static let range = 0.01...3.99

  /// How far the gains are from making grey of grey: red and blue against green.
  private func errors(_ bench: PhysicsBench) -> (red: Double, blue: Double) {
    let frame = bench.stage.truth.latest!
    let light = Illuminant.color(frame.world.illuminant)
    return (light.red * frame.gains.red - 1, light.blue * frame.gains.blue - 1)
  }

  @Test(arguments: [2500.0, 4300, 8000])
  func greyIsGrey(kelvin: Double) throws {
    for (delay, actuator) in [
      (0, WhiteBalanceActuator.gains(red: Self.range, blue: Self.range)),
      (5, .gains(red: Self.range, blue: Self.range)), (2, .temperature(2000...10000, step: 10)),
    ] {
      let isTemperature = if case .temperature = actuator { true } else { false }
      var bench = PhysicsBench(
        ThreeA(
          exposure: AutoExposure(limits: PhysicsBench.exposureLimits),
          whiteBalance: GreyWorld(actuator: actuator)),
        delay: delay, size: FrameSize(width: 160, height: 120),
        parts: isTemperature ? [.temperature] : [.colorBalance])
      bench.stage.changeWorld { $0.illuminant = kelvin }
      var last = 0
      for frame in 0..<80 {
        try bench.step()
        if bench.actions.contains(where: { if case .balance = $0 { true } else { false } }) { last = frame }
      }
      let (red, blue) = errors(bench)
      #expect(abs(red) < 0.03 && abs(blue) < 0.03, "\(kelvin) K, \(actuator): red \(red), blue \(blue)")
      #expect(last <= 60 && bench.control.whiteBalance?.isAdjusting == false)
    }
  }
}
