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

  private func searches(
    _ count: Int, depthOfFocus: Double, trust: DelayTrust = .unknown,
    _ change: (inout BusyCamera) -> Void = { _ in }
  ) -> [Outcome] {
    var numbers = SeededNumbers(seed: 11)
    return (0..<count).map { seed in
      let truth = Double.random(in: 0...1, using: &numbers)
      var camera = Self.camera(
        seed: seed, depthOfFocus: depthOfFocus, lens: .random(in: 0...1, using: &numbers)
      ) { $0.focus = { _ in truth } }
      change(&camera)
      var focus = FocusSearch(travel: Self.travel, trust: trust)
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

  /// Half of the searches end within seven seconds at 30 frames a second, all within fifteen: what a survey does not find, because the lens was
  /// never named where it was sharp, is searched for once more at rest.
  @Test(arguments: [0.02, 0.04, 0.08]) func findsWhatIsSharp(depthOfFocus: Double) {
    let outcomes = searches(25, depthOfFocus: depthOfFocus)
    for outcome in outcomes {
      #expect(outcome.frames <= 450 && abs(outcome.lens - outcome.truth) <= 0.04, "\(outcome)")
    }
    let frames = outcomes.map(\.frames).sorted()
    #expect(frames[12] <= 210, "\(frames)")
    print("focus, busy machine, depth of focus \(depthOfFocus): \(frames) frames")
  }

  /// A hill whose top is flat for a quarter of the travel: all of it is as sharp as can be.
  @Test(arguments: [0.1, 0.2, 0.4]) func findsAWideTop(depthOfFocus: Double) {
    for outcome in searches(40, depthOfFocus: depthOfFocus, { $0.camera.sharpWithin = 0.12 }) {
      #expect(outcome.frames <= 450 && abs(outcome.lens - outcome.truth) <= 0.14, "\(outcome)")
    }
  }

  /// Half of the frames, or more, do not come.
  @Test(arguments: [0.3, 0.5, 0.7]) func findsWhatIsSharpWhereFramesAreMissing(lost: Double) {
    for outcome in searches(25, depthOfFocus: 0.08, { $0.lost = lost }) {
      #expect(outcome.frames <= 400 && abs(outcome.lens - outcome.truth) <= 0.04, "\(outcome)")
    }
  }

  /// What sets the lens comes to run only now and then: of the positions that it was told meanwhile the camera gets the last, and the sweep is over
  /// before a frame has shown it.
  @Test(arguments: [DelayTrust.calibrated, .observed, .unknown], [8, 14, 20])
  func findsWhatIsSharpWhereMostPositionsAreNeverSet(trust: DelayTrust, every: UInt64) {
    var numbers = SeededNumbers(seed: 5)
    for seed in 0..<20 {
      let truth = Double.random(in: 0...1, using: &numbers)
      var camera = Self.camera(seed: seed, lens: .random(in: 0...1, using: &numbers)) {
        $0.focus = { _ in truth }
      }.camera
      var focus = FocusSearch(travel: Self.travel, trust: trust)
      focus.set(.auto)
      var (told, waiting, result) = (camera.lens, Double?.none, FocusResult?.none)
      while result == nil, camera.frames < 1500 {
        if camera.frames % every == 0, let position = waiting.take() {
          camera.perform(.moveLens(to: position))
          told = position
        }
        for action in focus.observe(camera.frame().0, takenWith: told) {
          switch action {
          case .move(let position): waiting = position
          case .finished(let found): result = found
          }
        }
      }
      guard case .found(let position)? = result else {
        Issue.record("seed \(seed): \(String(describing: result)), sharp at \(truth)")
        continue
      }
      #expect(abs(position - truth) <= 0.04, "seed \(seed): after \(camera.frames) frames")
    }
  }

  /// Beside what a search takes whose delay is calibrated, the rest at its end around what it found.
  @Test func isQuickWhereTheDelayWasSeenBefore() {
    let outcomes = searches(40, depthOfFocus: 0.08, trust: .observed) { camera in
      (camera.latest, camera.lost, camera.standstills) = (0, 0, 0)
    }
    for outcome in outcomes {
      #expect(outcome.frames <= 115 && abs(outcome.lens - outcome.truth) <= 0.03, "\(outcome)")
    }
    print("focus, delay seen before: \(outcomes.map(\.frames).sorted()) frames")
  }

  @Test func aBlankWallEndsWhereTheLensWasAndIsLeftAlone() {
    for seed in 0..<10 {
      var camera = Self.camera(seed: seed, lens: 0.3) { $0.detail = { _ in 0 } }
      var focus = FocusSearch(travel: Self.travel, trust: .unknown)
      let outcome = search(&camera, &focus)
      #expect(outcome.result == .notFound(position: 0.3), "seed \(seed): \(outcome)")
      #expect(abs(outcome.lens - 0.3) < 1e-9 && outcome.frames <= 200, "seed \(seed): \(outcome)")
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
      var focus = FocusSearch(travel: Self.travel, trust: .unknown)
      let first = search(&camera, &focus)
      patient += first.frames > 80 ? 1 : 0
      #expect(abs(first.lens - 0.3) <= 0.04, "seed \(seed): \(first)")
      for _ in 0..<200 {
        let (frame, known) = camera.frame()
        #expect(focus.observe(frame, takenWith: known.lensPosition).isEmpty, "seed \(seed)")
      }
      camera.camera.focus = { _ in 0.7 }
      let second = search(&camera, &focus)
      #expect(second.frames <= 450 && abs(second.lens - 0.7) <= 0.04, "seed \(seed): \(second)")
    }
    #expect(patient > 0)
  }
}
