import CaptureModel
import Testing

@testable import CaptureSynthetic

struct PhysicsFocusTests {
  private func stage(_ change: (inout PhysicsOptions) -> Void = { _ in }) -> PhysicsStage {
    var options = PhysicsOptions()
    options.automation = []
    options.delay = 0
    options.lensSpeed = .infinity
    options.noise = 0
    change(&options)
    return PhysicsStage(options)
  }

  /// On each of the seven things.
  @Test(arguments: [
    (0.84, 0.47), (0.8, 0.2), (0.2, 0.3), (0.51, 0.27), (0.17, 0.85), (0.52, 0.68), (0.85, 0.75),
  ])
  func contrastIsHighestInFocus(x: Double, y: Double) throws {
    let stage = stage()
    let area = PhysicsArea(x: x - 0.06, y: y - 0.04, width: 0.12, height: 0.08)
    try #require(stage.truth.isFlat(area))
    let best = stage.truth.lensPosition(inFocusAt: PhysicsPoint(x: x, y: y))
    func contrast(_ position: Double) throws -> Double {
      try stage.set(.focusAbsolute, Int64((position * 1023).rounded()))
      _ = stage.step()
      return Picture(stage.step()).contrast(area)
    }
    let sharp = try contrast(best)
    for side in [-1.0, 1] {
      var last = sharp
      for away in [0.02, 0.05, 0.1] where 0...1 ~= best + side * away {
        let contrast = try contrast(best + side * away)
        #expect(contrast < 0.98 * last, "\(side * away): \(contrast) after \(last)")
        last = contrast
      }
    }
  }

  @Test func blurFollowsTheLensBothWays() {
    #expect(LensOptics.blur(at: 0.3, lens: LensOptics.position(inFocusAt: 0.3)) == 0)
    let near = LensOptics.blur(at: 0.3, lens: LensOptics.position(inFocusAt: 0.3) + 0.1)
    let far = LensOptics.blur(at: 0.3, lens: LensOptics.position(inFocusAt: 0.3) - 0.1)
    #expect(abs(near - far) < 1e-12 && abs(near * 480 - 4) < 1e-9)
    #expect(LensOptics.position(inFocusAt: 1e9) > 0.09)
    #expect(LensOptics.position(inFocusAt: 0.18) < 0.91)
  }

  @Test func lensTakesItsTime() throws {
    let stage = stage { $0.lensSpeed = 3 }
    try stage.set(.focusAbsolute, 0)
    for _ in 0..<12 { _ = stage.step() }
    #expect(stage.truth.latest?.lensPosition == 0)
    let effect = try stage.set(.focusAbsolute, 1023)
    _ = stage.step()
    var last = 0.0
    // A third of a second: ten frames, from the middle of the first one's exposure of 10 ms on.
    for passed in 0..<10 {
      let truth = try #require(stage.truth.frame(stage.step().sequence))
      #expect(truth.sequence == effect.effective + UInt64(passed))
      #expect(truth.lensTarget == 1)
      #expect(abs(truth.lensPosition - (0.015 + 0.1 * Double(passed))) < 1e-6)
      #expect(truth.lensPosition > last)
      last = truth.lensPosition
    }
    _ = stage.step()
    #expect(stage.truth.latest?.lensPosition == 1)
  }

  @Test func subjectCanBeMoved() throws {
    let stage = stage()
    let here = PhysicsPoint(x: 0.2, y: 0.8)
    let before = stage.truth.distance(at: here)
    stage.changeWorld {
      $0.subject = PhysicsPoint(x: 0.2, y: 0.8)
      $0.subjectDistance = 0.25
    }
    #expect(before == 0.3)
    #expect(stage.truth.distance(at: here) == 0.25)
    let area = PhysicsArea(x: 0.16, y: 0.74, width: 0.08, height: 0.12)
    try stage.set(.focusAbsolute, Int64(1023 * stage.truth.lensPosition(inFocusAt: here)))
    _ = stage.step()
    let sharp = Picture(stage.step()).contrast(area)
    stage.changeWorld { $0.subjectDistance = 1 }
    _ = stage.step()
    #expect(Picture(stage.step()).contrast(area) < sharp / 2)
  }
}
