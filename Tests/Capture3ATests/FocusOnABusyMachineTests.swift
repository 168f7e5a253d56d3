import Capture3A
import CaptureModel
import CaptureTestSupport
import Testing

/// Searches by frames whose lens positions are believed wrongly.
@Suite struct FocusOnABusyMachineTests {
  struct Outcome {
    var frames = 0
    var result: FocusResult?
    var lens = 0.0
    var truth = 0.0
  }

  private static let travel = LensTravel(step: 0.02, framesForWholeTravel: 6)

  private func search(_ camera: inout BusyCamera, _ focus: inout FocusSearch) -> Outcome {
    var outcome = Outcome()
    while outcome.result == nil, outcome.frames < 1000 {
      outcome.frames += 1
      let (frame, known) = camera.frame()
      for action in focus.observe(frame, takenWith: known.lensPosition) {
        switch action {
        case .move(let position): camera.move(to: position)
        case .finished(let result): outcome.result = result
        }
      }
    }
    // Where it is going.
    for _ in 0..<20 { _ = camera.frame() }
    outcome.lens = camera.camera.lens
    return outcome
  }

  private func searches(_ count: Int, depthOfFocus: Double, _ change: (inout BusyCamera) -> Void = { _ in })
    -> [Outcome]
  {
    var numbers = SeededNumbers(seed: 11)
    return (0..<count).map { seed in
      let truth = Double.random(in: 0...1, using: &numbers)
      var camera = Self.camera(
        seed: seed, depthOfFocus: depthOfFocus, lens: .random(in: 0...1, using: &numbers)
      ) { $0.focus = { _ in truth } }
      change(&camera)
      var focus = FocusSearch(travel: Self.travel, isDelayKnown: false)
      focus.set(.auto)
      var outcome = search(&camera, &focus)
      outcome.truth = truth
      return outcome
    }
  }

  private static func camera(
    seed: Int, depthOfFocus: Double = 0.08, lens: Double, _ change: (inout ModelCamera) -> Void
  ) -> BusyCamera {
    var model = ModelCamera(seed: UInt64(seed))
    model.noise = 0.03
    model.depthOfFocus = depthOfFocus
    change(&model)
    model.start(exposure: Exposure(duration: .milliseconds(60)), lens: lens)
    return BusyCamera(model, seed: UInt64(seed))
  }

  /// Seven seconds at 30 frames a second.
  @Test(arguments: [0.02, 0.04, 0.08]) func findsWhatIsSharp(depthOfFocus: Double) {
    for outcome in searches(25, depthOfFocus: depthOfFocus) {
      #expect(outcome.frames <= 210 && abs(outcome.lens - outcome.truth) <= 0.04, "\(outcome)")
    }
  }

  /// As if the delay were known, but for the wider fine search and the frames that are waited for at its end.
  @Test func isAsQuickAsElseWherePositionsAreRight() {
    let outcomes = searches(40, depthOfFocus: 0.08) { camera in
      (camera.latest, camera.lost, camera.standstills) = (0, 0, 0)
    }
    for outcome in outcomes {
      #expect(outcome.frames <= 40 && abs(outcome.lens - outcome.truth) <= 0.03, "\(outcome)")
    }
  }

  @Test func aBlankWallEndsWhereTheLensWasAndIsLeftAlone() {
    for seed in 0..<10 {
      var camera = Self.camera(seed: seed, lens: 0.3) { $0.detail = { _ in 0 } }
      var focus = FocusSearch(travel: Self.travel, isDelayKnown: false)
      let outcome = search(&camera, &focus)
      #expect(outcome.result == .notFound(position: 0.3), "seed \(seed): \(outcome)")
      #expect(abs(outcome.lens - 0.3) < 1e-9 && outcome.frames <= 150, "seed \(seed): \(outcome)")
      for _ in 0..<200 {
        let (frame, known) = camera.frame()
        #expect(focus.observe(frame, takenWith: known.lensPosition).isEmpty, "seed \(seed)")
      }
    }
  }

  @Test func continuousRestsAfterAPatientSearchUntilTheSceneChanges() {
    var patient = 0
    for seed in 0..<10 {
      var camera = Self.camera(seed: seed, depthOfFocus: 0.04, lens: 0.9) { $0.focus = { _ in 0.3 } }
      var focus = FocusSearch(travel: Self.travel, isDelayKnown: false)
      let first = search(&camera, &focus)
      patient += first.frames > 80 ? 1 : 0
      #expect(abs(first.lens - 0.3) <= 0.04, "seed \(seed): \(first)")
      for _ in 0..<200 {
        let (frame, known) = camera.frame()
        #expect(focus.observe(frame, takenWith: known.lensPosition).isEmpty, "seed \(seed)")
      }
      camera.camera.focus = { _ in 0.7 }
      let second = search(&camera, &focus)
      #expect(second.frames <= 220 && abs(second.lens - 0.7) <= 0.04, "seed \(seed): \(second)")
    }
    #expect(patient > 0)
  }
}
