import Capture3A
import CaptureModel
import CaptureTestSupport
import Testing

/// A blank wall, or the dark: there is nothing that could be sharp, and noise is sharper in one frame than in the next.
@Suite struct FocusOnNoiseTests {
  private static let runs = 400

  /// The lens was locked at any position, and nothing was said: in 1 to 24 of 100 searches.
  @Test(arguments: [DelayTrust.calibrated, .unknown], [0.03, 0.1, 0.3])
  func noiseIsSeldomTakenForSomethingSharp(trust: DelayTrust, noise: Double) {
    for lost in [0, 0.3] {
      var (found, frames) = (0, 0)
      for seed in 0..<Self.runs {
        let outcome = search(seed: UInt64(seed), trust, noise: noise, lost: lost)
        if outcome.failure == nil { found += 1 } else { #expect(outcome.lens == 0.26, "seed \(seed)") }
        frames += outcome.frames
      }
      print(
        "focus on noise \(noise), \(trust), lost \(lost): \(found) of \(Self.runs) found, \(frames / Self.runs) frames"
      )
      #expect(found <= Self.runs * 5 / 100, "lost \(lost)")
    }
  }

  /// The picture is sharp at 0.7, in as much noise.
  @Test(arguments: [DelayTrust.calibrated, .unknown], [0.2, 0.4])
  func whatIsSharpIsFoundInMuchNoise(trust: DelayTrust, noise: Double) {
    let outcomes = (0..<100).map { seed in
      search(seed: seed, trust, noise: noise) { camera in
        camera.detail = { _ in 1 }
        camera.focus = { _ in 0.7 }
      }
    }
    let right = outcomes.filter { $0.failure == nil && abs($0.lens - 0.7) <= 0.06 }.count
    let refused = outcomes.filter { $0.failure != nil }.count
    print("focus in noise \(noise), \(trust): \(right) of 100 right, \(refused) say that they found nothing")
    #expect(right >= 98 && refused <= 2)
  }

  private func search(
    seed: UInt64, _ trust: DelayTrust, noise: Double, lost: Double = 0,
    _ change: (inout ModelCamera) -> Void = { _ in }
  ) -> (failure: String?, lens: Double, frames: Int) {
    var camera = ModelCamera(seed: seed)
    (camera.delay, camera.noise, camera.detail) = (3, noise, { _ in 0 })
    change(&camera)
    camera.start(exposure: Exposure(duration: .milliseconds(60)), lens: 0.26)
    var focus = FocusSearch(
      travel: LensTravel(step: 0.02, framesForWholeTravel: 6), assumedDelay: 2, trust: trust)
    focus.set(.auto)
    focus.begin(at: 0.26)
    var (numbers, frames) = (SeededNumbers(seed: seed + 1000), 0)
    while focus.mode == .auto, frames < 1500 {
      frames += 1
      let (frame, known) = camera.frame()
      guard Double.random(in: 0..<1, using: &numbers) >= lost else { continue }
      let told = trust == .calibrated ? known.lensPosition : nil
      for case .move(let position) in focus.observe(frame, takenWith: told) {
        camera.perform(.moveLens(to: position))
      }
    }
    #expect(focus.mode == .locked, "seed \(seed)")
    for _ in 0..<20 { _ = camera.frame() }
    return (focus.failure, camera.lens, frames)
  }
}
