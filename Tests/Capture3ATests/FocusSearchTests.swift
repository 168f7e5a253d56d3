import Capture3A
import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct FocusSearchTests {
  struct Outcome {
    var frames: Int
    var result: FocusResult?
    var lens: Double
  }

  private func search(_ camera: inout ModelCamera, _ focus: inout FocusSearch, frames: Int = 60) -> Outcome {
    for index in 1...frames {
      let (frame, known) = camera.frame()
      for action in focus.observe(frame, takenWith: known.lensPosition) {
        switch action {
        case .move(let position): camera.perform(.moveLens(to: position))
        case .finished(let result): return Outcome(frames: index, result: result, lens: camera.lens)
        }
      }
    }
    return Outcome(frames: frames, result: nil, lens: camera.lens)
  }

  @Test(arguments: 0...2) func findsTwentyRandomPointsWithin40Frames(delay: Int) throws {
    var numbers = SeededNumbers(seed: 7)
    for seed in 0..<20 {
      for depthOfFocus in [0.04, 0.08, 0.15] {
        var camera = ModelCamera(seed: UInt64(seed))
        camera.delay = delay
        camera.noise = 0.03
        camera.depthOfFocus = depthOfFocus
        camera.start(
          exposure: Exposure(duration: .milliseconds(60)), lens: .random(in: 0...1, using: &numbers))
        let point = try NormalizedPoint(
          x: .random(in: 0.1...0.9, using: &numbers), y: .random(in: 0.1...0.9, using: &numbers))
        let truth = Double.random(in: 0...1, using: &numbers)
        let behind = Double.random(in: 0...1, using: &numbers)
        camera.focus = { place in
          let (x, y) = (place.x - point.x, place.y - point.y)
          return x * x + y * y < 0.05 ? truth : behind
        }
        var focus = FocusSearch(point: point)
        focus.set(.auto)
        let outcome = search(&camera, &focus)
        // The flattest hill's top, at an end of the travel too, is not found more exactly in so much noise.
        let tolerance = depthOfFocus > 0.1 ? 0.03 : 0.02
        #expect(
          outcome.frames <= 40 && abs(outcome.lens - truth) <= tolerance,
          "delay \(delay), seed \(seed), depth \(depthOfFocus), truth \(truth): \(outcome)")
        #expect(focus.mode == .locked && !focus.isAdjusting)
      }
    }
  }

  @Test func aBlankWallEndsWhereTheLensWas() throws {
    for seed in 0..<20 {
      var camera = ModelCamera(seed: UInt64(seed))
      camera.detail = { _ in 0 }
      camera.noise = 0.02
      camera.start(exposure: Exposure(duration: .milliseconds(60)), lens: 0.3)
      var focus = FocusSearch()
      focus.set(.auto)
      let outcome = search(&camera, &focus)
      #expect(outcome.result == .notFound(position: 0.3) && outcome.lens == 0.3, "seed \(seed): \(outcome)")
    }
  }

  @Test func continuousStaysUntilTheSceneChanges() {
    var camera = ModelCamera()
    camera.noise = 0.03
    camera.start(exposure: Exposure(duration: .milliseconds(60)))
    camera.focus = { _ in 0.8 }
    var focus = FocusSearch()
    #expect(abs(search(&camera, &focus).lens - 0.8) < 0.02)
    for _ in 0..<200 {
      let (frame, known) = camera.frame()
      #expect(focus.observe(frame, takenWith: known.lensPosition).isEmpty)
      #expect(!focus.isAdjusting)
    }
    camera.focus = { _ in 0.3 }
    let again = search(&camera, &focus)
    #expect(abs(again.lens - 0.3) < 0.02 && again.frames <= 46)
  }

  @Test func rangesAreHalvesOfTheTravel() {
    for (restriction, zeroIsNear, range) in [
      (FocusRestriction.near, true, 0.0...0.5), (.far, true, 0.5...1), (.near, false, 0.5...1),
      (.far, false, 0...0.5),
    ] {
      var camera = ModelCamera()
      camera.focus = { $0.x < 0.5 ? 0.25 : 0.75 }
      camera.start(exposure: Exposure(duration: .milliseconds(60)))
      var focus = FocusSearch(travel: LensTravel(zeroIsNear: zeroIsNear))
      focus.restriction = restriction
      let outcome = search(&camera, &focus)
      #expect(range.contains(outcome.lens) && abs(abs(outcome.lens - 0.5) - 0.25) < 0.02)
    }
  }

  @Test func stepsOfTheDriverAreKept() {
    var camera = ModelCamera()
    camera.focus = { _ in 0.42 }
    camera.start(exposure: Exposure(duration: .milliseconds(60)))
    var focus = FocusSearch(travel: LensTravel(step: 5.0 / 255))
    let outcome = search(&camera, &focus)
    #expect(abs(outcome.lens - 0.42) < 0.02)
    #expect(abs((outcome.lens * 51).rounded() - outcome.lens * 51) < 1e-6)
  }

  @Test func framesOfUnknownSettingsAreJudgedAfterTheAssumedDelay() {
    var camera = ModelCamera()
    camera.delay = 2
    camera.tellsSettings = false
    camera.focus = { _ in 0.27 }
    camera.start(exposure: Exposure(duration: .milliseconds(60)), lens: 0.8)
    var focus = FocusSearch(assumedDelay: 2)
    #expect(abs(search(&camera, &focus).lens - 0.27) < 0.02)
  }
}
