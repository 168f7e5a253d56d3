import Capture3A
import CaptureModel
import CaptureSynthetic
import Testing

@Suite struct PhysicsExposureTests {
  @Test(arguments: 0...5, [3.0, -3]) func isRightWithin20FramesAndDoesNotHunt(delay: Int, stops: Double)
    throws
  {
    var bench = PhysicsBench(
      ThreeA(exposure: AutoExposure(limits: PhysicsBench.exposureLimits)), delay: delay,
      seed: UInt64(delay + 1),
      size: FrameSize(width: 160, height: 120))
    let before = stops > 0 ? -1.0 : 1
    bench.stage.changeWorld { $0.light = before }
    for _ in 0..<40 { try bench.step() }
    #expect(abs(bench.control.exposure?.targetOffset ?? 9) < 0.1)
    bench.stage.changeWorld { $0.light = before + stops }
    // Frames that show the change; the next one was begun before it.
    try bench.step()
    var right = 0
    for frame in 1...80 {
      try bench.step()
      let offset = abs(bench.control.exposure?.targetOffset ?? 9)
      if offset > 0.1 { right = frame }
      #expect(frame <= 20 || bench.actions.isEmpty, "hunts: \(bench.actions) at frame \(frame)")
    }
    #expect(right < 20, "\(stops) EV, delay \(delay): wrong until frame \(right)")
    #expect(bench.control.exposure?.isAdjusting == false)
  }
}
