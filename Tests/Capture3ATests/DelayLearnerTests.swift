import Capture3A
import CaptureModel
import Glibc
import Testing

/// Exposure and white balance where nobody measured which frame has which setting: frames tell them too early, or too late.
@Suite struct FootingTests {
  /// Frames say what would be so on a camera that is quicker, or slower.
  private struct Early {
    var camera: ModelCamera
    var set: [(from: UInt64, action: ThreeA.Action)] = []

    mutating func perform(_ action: ThreeA.Action, assumed: Int) {
      set.append((camera.frames + UInt64(assumed), action))
      camera.perform(action)
    }

    mutating func frame() -> (FrameStatistics, KnownSettings) {
      var (statistics, known) = camera.frame()
      for (_, action) in set.filter({ $0.from <= statistics.sequence }).suffix(1) {
        if case .expose(let exposure) = action { known.exposure = exposure }
        if case .balance(let balance) = action { known.whiteBalance = balance }
      }
      return (statistics, known)
    }
  }

  @Test(arguments: 0...5, [0, 3, 6]) func theDelayIsSeenAndTheExposureRight(delay: Int, assumed: Int) {
    for stops in [4.0, -2, 1, 0] {
      var early = Early(camera: ModelCamera(seed: UInt64(delay + 1)))
      early.camera.delay = delay
      early.camera.light = 10 * exp2(stops)
      early.set = [(0, .expose(early.camera.exposure))]
      var exposure = AutoExposure(limits: AutoExposureTests.limits, trust: .unknown)
      exposure.set(.auto)
      exposure.begin(with: early.camera.exposure)
      var (frames, told) = (0, assumed)
      while exposure.mode == .auto, frames < 200 {
        let (frame, known) = early.frame()
        if let next = exposure.observe(frame, takenWith: known.exposure) {
          // Once it was told, the engine knows better.
          early.perform(.expose(next), assumed: told)
        }
        if let seen = exposure.takeObservation() { told += seen.late }
        frames += 1
      }
      #expect(
        exposure.failure == nil && abs(exposure.targetOffset ?? 9) < 0.15, "\(stops) EV, \(frames) frames")
      if abs(stops) == 1 { #expect(told == delay) }
    }
  }

  @Test func anotherStreamIsJudgedFromItsFirstFramesOn() {
    var exposure = AutoExposure(limits: AutoExposureTests.limits, trust: .unknown)
    for light in [10.0, 80] {
      var camera = ModelCamera()
      camera.light = light
      for _ in 0..<150 {
        let (frame, known) = camera.frame()
        if let next = exposure.observe(frame, takenWith: known.exposure) { camera.perform(.expose(next)) }
      }
      #expect(abs(exposure.targetOffset ?? 9) < 0.15)
    }
  }

  @Test(arguments: [DelayTrust.calibrated, .unknown])
  func aPictureThatDoesNotAnswerIsSaid(trust: DelayTrust) {
    for mode in [AutomaticMode.auto, .continuous] {
      var camera = ModelCamera()
      var exposure = AutoExposure(limits: AutoExposureTests.limits, trust: trust)
      exposure.set(mode)
      exposure.begin(with: camera.exposure)
      camera.light = 4
      var set = Exposure(duration: .milliseconds(10))
      for _ in 0..<100 {
        let (frame, _) = camera.frame()
        set = exposure.observe(frame, takenWith: set) ?? set
      }
      if mode == .auto {
        #expect(exposure.failure?.contains("does not answer") == true && exposure.mode == .locked)
        exposure.set(.auto)
      }
      #expect(exposure.failure == nil && exposure.mode == mode)
    }
  }
}
