import CaptureControls
import Testing

@Suite struct ZoomRampTests {
  @Test func itDoublesSoOftenASecond() {
    let ramp = ZoomRamp(from: 1, to: 8, rate: 2, start: 1_000_000_000)
    #expect(ramp.factor(at: 1_000_000_000) == 1)
    #expect(abs(ramp.factor(at: 1_500_000_000) - 2) < 1e-9)
    #expect(!ramp.isOver(at: 2_400_000_000))
    #expect(ramp.isOver(at: 2_500_000_000) && ramp.factor(at: 9_000_000_000) == 8)
  }

  @Test func itGoesBackAsWell() {
    let ramp = ZoomRamp(from: 4, to: 1, rate: 1, start: 0)
    #expect(abs(ramp.factor(at: 1_000_000_000) - 2) < 1e-9)
    #expect(ramp.factor(at: 3_000_000_000) == 1)
  }
}
