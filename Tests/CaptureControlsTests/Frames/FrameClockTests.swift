import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct FrameClockTests {
  @Test func theIntervalThatWasAskedForIsNotAssumedOfADriverThatReportsNone() {
    var clock = FrameClock(nominal: FrameInterval(rate: 30))
    clock.tick(0, 1_000_000_000, .endOfFrame)
    #expect(clock.start(of: 0) == 966_666_667)
    clock.setInterval(nil)
    #expect(clock.interval == nil)
    // Nobody knows when the first frame's exposure began.
    #expect(clock.start(of: 0) == 0)
    clock.tick(1, 1_040_000_000)
    #expect(clock.start(of: 1) == 1_000_000_000)
  }
}
