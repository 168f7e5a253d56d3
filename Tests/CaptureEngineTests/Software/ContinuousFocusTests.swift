import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Continuous focus on a camera that was never calibrated rests while nothing changes, and begins again when something does.
@Suite struct ContinuousFocusTests {
  /// The climb that verifies a result ends away from it: the lens goes back, and frames show that late.
  @Test(arguments: [(5, 2, 5000.0), (5, 3, 5000), (5, 4, 5000), (5, 5, 5000), (9, 3, 5000), (3, 3, 2700)])
  func itRestsInAStillScene(seed: UInt64, delay: Int, illuminant: Double) async throws {
    var options = PhysicsOptions()
    (options.seed, options.delay, options.illuminant) = (seed, delay, illuminant)
    let run = try await NeverCalibratedRun(options, size: FrameSize(width: 640, height: 480))
    // Close to the edge of what is there.
    let point = try NormalizedPoint(x: 0.3, y: 0.3)
    _ = try await run.rig.set { $0.focus = .init(mode: .continuous, point: point) }
    #expect(await run.rig.steps(300) { $0.focus?.isAdjusting == false } < 300)
    _ = run.rig.camera.takeAssignments()
    for _ in 0..<60 { await run.rig.step() }
    let moves = run.rig.camera.takeAssignments().filter { $0.id == .focusAbsolute }
    #expect(moves.isEmpty, "\(moves)")
    #expect(await run.rig.device.knownSettings()?.focus?.isAdjusting == false)
    #expect(try abs(error(of: run, at: point)) < 0.04)
    await run.end()
  }

  @Test(arguments: [0, 2, 5]) func itBeginsAgainWhenTheSceneChanges(delay: Int) async throws {
    let run = try await NeverCalibratedRun(.manual(delay: delay))
    let point = try NormalizedPoint(x: 0.2, y: 0.3)
    _ = try await run.rig.set { $0.focus = .init(mode: .continuous, point: point) }
    #expect(await run.rig.steps(300) { $0.focus?.isAdjusting == false } < 300)
    for _ in 0..<30 { await run.rig.step() }
    // Something comes into the way.
    run.rig.camera.changeWorld { ($0.subject, $0.subjectDistance) = (PhysicsPoint(x: 0.2, y: 0.3), 0.25) }
    #expect(await run.rig.steps(40) { $0.focus?.isAdjusting == true } < 40)
    #expect(await run.rig.steps(400) { $0.focus?.isAdjusting == false } < 400)
    for _ in 0..<12 { await run.rig.step() }
    #expect(try abs(error(of: run, at: point)) < 0.04)
    #expect(await run.rig.steps(60) { $0.focus?.isAdjusting == true } == 60)
    await run.end()
  }

  /// In parts of the lens's travel.
  private func error(of run: NeverCalibratedRun, at point: NormalizedPoint) throws -> Double {
    try run.frame.lensPosition
      - run.rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
  }
}
