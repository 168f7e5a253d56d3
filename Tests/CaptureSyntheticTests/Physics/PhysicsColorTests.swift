import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsColorTests {
  private func stage(_ change: (inout PhysicsOptions) -> Void = { _ in }) -> PhysicsStage {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = 0
    options.lensSpeed = .infinity
    change(&options)
    return PhysicsStage(options, size: FrameSize(width: 160, height: 120))
  }

  @Test(arguments: [2500, 3000, 4000, 4500, 5000, 6500, 8000])
  func greyIsGreyAtTheRightTemperature(kelvin: Double) throws {
    let stage = stage()
    stage.changeWorld { $0.illuminant = kelvin }
    try stage.set(.whiteBalanceTemperature, Int64(kelvin))
    let signal = Picture(stage.step()).signal(stage.truth.patches[2].area)
    #expect(abs(signal.red / signal.green - 1) < 0.03, "\(signal)")
    #expect(abs(signal.blue / signal.green - 1) < 0.03, "\(signal)")
  }

  @Test func warmLightIsRedAndColdIsBlue() throws {
    let stage = stage()
    stage.changeWorld { $0.illuminant = 2800 }
    let warm = Picture(stage.step()).signal(stage.truth.patches[2].area)
    #expect(warm.red > 1.3 * warm.green && warm.blue < 0.7 * warm.green)
    stage.changeWorld { $0.illuminant = 8000 }
    _ = stage.step()
    let cold = Picture(stage.step()).signal(stage.truth.patches[2].area)
    #expect(cold.red < 0.95 * cold.green && cold.blue > 1.1 * cold.green)
  }

  @Test func gainsAreTheBalances() throws {
    let stage = stage()
    let area = stage.truth.patches[2].area
    let neutral = Picture(stage.step()).signal(area)
    let (red, blue) = (try #require(stage.value(.redBalance)), try #require(stage.value(.blueBalance)))
    try stage.set(.redBalance, red * 3 / 2)
    try stage.set(.blueBalance, blue / 2)
    _ = stage.step()
    let tinted = Picture(stage.step()).signal(area)
    #expect(abs(tinted.red / neutral.red / 1.5 - 1) < 0.03)
    #expect(abs(tinted.blue / neutral.blue / 0.5 - 1) < 0.05)
    #expect(abs(tinted.green / neutral.green - 1) < 0.03)
  }

  @Test func temperatureSetsTheBalances() throws {
    let stage = stage()
    try stage.set(.whiteBalanceTemperature, 2800)
    let warm = try (#require(stage.value(.redBalance)), #require(stage.value(.blueBalance)))
    try stage.set(.whiteBalanceTemperature, 8000)
    let cold = try (#require(stage.value(.redBalance)), #require(stage.value(.blueBalance)))
    #expect(warm.0 < cold.0 && warm.1 > cold.1)
    let truth = try #require(stage.truth.frame(stage.step().sequence))
    #expect(abs(truth.gains.red - Double(cold.0) / 512) < 1e-9)
  }

  /// So that a mean over all of it tells the light's colour.
  @Test(arguments: [FrameSize(width: 160, height: 120), FrameSize(width: 320, height: 180)])
  func sceneIsGreyAsAWhole(size: FrameSize) {
    let stage = PhysicsStage(PhysicsOptions(), size: size)
    let light = stage.truth.light()
    let neutral = Illuminant.color(5000)
    #expect(abs(light.red / neutral.red / light.green - 1) < 0.01)
    #expect(abs(light.blue / neutral.blue / light.green - 1) < 0.01)
  }

  /// CIE 15's chromaticities of D65 and A, through BT.709's primaries and the sensor's filters, by hand.
  @Test func illuminantsAreWhereTheyBelong() {
    let daylight = Illuminant.color(6504)
    #expect(abs(daylight.red - 1) < 0.01 && abs(daylight.blue - 1) < 0.01)
    let incandescent = Illuminant.color(2856)
    #expect(abs(incandescent.red - 1.855) < 0.02 && abs(incandescent.blue - 0.498) < 0.01, "\(incandescent)")
  }
}
