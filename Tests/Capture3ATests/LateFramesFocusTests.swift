import Capture3A
import CaptureModel
import CaptureTestSupport
import Testing

/// Focus where frames do not tell which position they have, and are as late as they like.
@Suite struct LateFramesFocusTests {
  @Test(arguments: 0...5, [0, 2, 5]) func isRightHoweverLateFramesAre(delay: Int, assumed: Int) {
    var numbers = SeededNumbers(seed: UInt64(10 * delay + assumed + 1))
    for seed in 0..<10 {
      var camera = ModelCamera(seed: UInt64(seed))
      (camera.delay, camera.tellsSettings, camera.noise) = (delay, false, 0.02)
      let (start, truth) = (
        Double.random(in: 0...1, using: &numbers), Double.random(in: 0...1, using: &numbers)
      )
      camera.focus = { _ in truth }
      camera.start(exposure: Exposure(duration: .milliseconds(60)), lens: 0.5)
      // A moment before.
      camera.perform(.moveLens(to: start))
      var focus = FocusSearch(assumedDelay: assumed, trust: .unknown)
      focus.set(.auto)
      focus.begin(at: start)
      var frames = 0
      while focus.mode == .auto, frames < 800 {
        let (frame, known) = camera.frame()
        for case .move(let position) in focus.observe(frame, takenWith: known.lensPosition) {
          camera.perform(.moveLens(to: position))
        }
        frames += 1
      }
      let found = camera.lensTarget
      for _ in 0..<10 { _ = camera.frame() }
      #expect(
        abs(camera.lens - truth) <= 0.04 && focus.failure == nil,
        "seed \(seed), from \(start) to \(truth): \(camera.lens) (\(found)) after \(frames) frames")
    }
  }

  @Test(arguments: 0...5) func aBlankWallIsSaidAndTheLensGoesBack(delay: Int) {
    var camera = ModelCamera(seed: UInt64(delay))
    (camera.delay, camera.tellsSettings, camera.noise) = (delay, false, 0.02)
    camera.detail = { _ in 0 }
    camera.start(exposure: Exposure(duration: .milliseconds(60)), lens: 0.3)
    var focus = FocusSearch(assumedDelay: 2, trust: .unknown)
    focus.set(.auto)
    focus.begin(at: 0.3)
    var frames = 0
    while focus.mode == .auto, frames < 800 {
      let (frame, known) = camera.frame()
      for case .move(let position) in focus.observe(frame, takenWith: known.lensPosition) {
        camera.perform(.moveLens(to: position))
      }
      frames += 1
    }
    for _ in 0..<10 { _ = camera.frame() }
    #expect(focus.failure != nil && camera.lens == 0.3, "\(camera.lens) after \(frames) frames")
    focus.set(.auto)
    #expect(focus.failure == nil)
  }
}
