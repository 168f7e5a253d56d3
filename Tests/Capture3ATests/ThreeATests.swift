import Capture3A
import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

@Suite struct ThreeATests {
  @Test(arguments: 0...5) func aNewSceneIsExposedThenFocusedAndBalanced(delay: Int) {
    for seed in 0..<4 {
      var numbers = SeededNumbers(seed: UInt64(seed))
      var camera = ModelCamera(seed: UInt64(seed))
      camera.delay = delay
      camera.scene = GreyWorldTests.scene(seed)
      let truth = Double.random(in: 0...1, using: &numbers)
      camera.focus = { _ in truth }
      camera.light *= exp2(.random(in: -2...3, using: &numbers))
      camera.illuminant = TemperatureAndTint(temperature: .random(in: 2800...8000, using: &numbers)).light
      var all = ThreeA(
        focus: FocusSearch(), exposure: AutoExposure(limits: AutoExposureTests.limits),
        whiteBalance: GreyWorld(actuator: .gains(red: 0.1...10, blue: 0.1...10)))
      var lastAction = 0
      for index in 0..<200 {
        let (frame, known) = camera.frame()
        for action in all.observe(frame, takenWith: known) {
          camera.perform(action)
          lastAction = index
        }
      }
      #expect(lastAction < 140, "seed \(seed), delay \(delay)")
      #expect(abs(camera.lens - truth) < 0.02, "seed \(seed), delay \(delay): \(camera.lens) for \(truth)")
      #expect(abs(all.exposure?.targetOffset ?? 9) < 0.1)
      let grey = camera.illuminant * camera.whiteBalance.gains
      #expect(abs(grey.red / grey.green - 1) < 0.03 && abs(grey.blue / grey.green - 1) < 0.03)
      #expect(all.focus?.isAdjusting == false && all.whiteBalance?.isAdjusting == false)
    }
  }
}
