import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

/// Cameras as they are at first: nobody knows how late they are. Each mode begins from a value that was set a moment before and is far from right.
@Suite struct NeverCalibratedTests {
  /// `CAPTURE_SCENES=100` does so many (`scripts/soak --scenes`), `CAPTURE_DELAYS=0,1` of some delays, `CAPTURE_SCENE=48` that one.
  private static let environment = ProcessInfo.processInfo.environment
  private static let scenes = environment["CAPTURE_SCENES"].flatMap { Int($0) } ?? 1
  private static let scene = environment["CAPTURE_SCENE"].flatMap { Int($0) }
  private static let delays =
    environment["CAPTURE_DELAYS"].map { $0.split(separator: ",").compactMap { Int($0) } } ?? Array(0...5)

  /// Half of the searches for focus are made on a camera of which nothing was learnt before, in light that it is exposed for.
  @Test(arguments: delays) func endsRightOrSaysThatItDoesNot(delay: Int) async throws {
    var (exposure, grey, focus) = (SearchTally("exposure"), SearchTally("grey"), SearchTally("focus"))
    try await forEachScene(delay) { scene in
      var run = try await NeverCalibratedRun(scene)
      try await run.expose(&scene, &exposure)
      try await run.balance(&scene, &grey)
      if scene.index % 2 == 1 {
        await run.end()
        (scene.options.light, scene.options.illuminant) = (0, 5000)
        run = try await NeverCalibratedRun(scene)
      }
      try await run.focus(&scene, &focus)
      return run
    }
    for tally in [exposure, focus, grey] { tally.conclude(delay) }
  }

  /// In dim light the duration's delay is seen at its longest; from then on the gain is changed alone, in steps too small to show.
  @Test(arguments: [(11, 3), (16, 4)])
  func exposureComesToRestWhereTheGainsDelayIsNotSeen(index: Int, delay: Int) async throws {
    var scene = RandomScene(index, delay: delay)
    var exposure = SearchTally("exposure")
    let run = try await NeverCalibratedRun(scene)
    try await run.expose(&scene, &exposure)
    await run.end()
    #expect(!exposure.hasFailed)
    exposure.conclude(delay)
  }

  /// The picture is exposed before: too dark or too bright, it has no colour.
  @Test(arguments: delays) func aCameraWithoutGainsIsBalancedByItsTemperature(delay: Int) async throws {
    var grey = SearchTally("grey by temperature")
    try await forEachScene(delay) { scene in
      scene.options.parts.remove(.colorBalance)
      let run = try await NeverCalibratedRun(scene)
      _ = try await run.rig.set { $0.exposure.mode = .auto }
      _ = await run.rig.steps(800) { $0.exposure?.mode == .locked }
      try await run.balance(&scene, &grey)
      return run
    }
    grey.conclude(delay)
  }

  /// However dark or bright the light is for the exposure that the camera has at first.
  @Test(arguments: delays) func focusIsTheFirstThatIsEverDone(delay: Int) async throws {
    var focus = SearchTally("focus first")
    try await forEachScene(delay) { scene in
      let run = try await NeverCalibratedRun(scene)
      try await run.focus(&scene, &focus)
      return run
    }
    focus.conclude(delay)
  }

  /// In the exposure that the camera has at first, whatever the light.
  @Test(arguments: delays) func greyIsTheFirstThatIsEverDone(delay: Int) async throws {
    var grey = SearchTally("grey first")
    try await forEachScene(delay) { scene in
      let run = try await NeverCalibratedRun(scene)
      try await run.balance(&scene, &grey)
      return run
    }
    grey.conclude(delay)
  }

  /// In its noise one step of the lens shows three frames too early.
  @Test func theLensIsNotSaidToBeQuickerThanItIs() async throws {
    var scene = RandomScene(37, delay: 5)
    var focus = SearchTally("focus first")
    let run = try await NeverCalibratedRun(scene)
    try await run.focus(&scene, &focus)
    await run.end()
    #expect(await run.rig.device.delays[.focusAbsolute].frames == 5)
    focus.conclude(5)
  }

  /// Runs `body` in each scene, and expects that what was seen of the camera's delay is true, or one frame late.
  private func forEachScene(
    _ delay: Int, _ body: (inout RandomScene) async throws -> NeverCalibratedRun
  ) async throws {
    for index in Self.scene.map({ $0...$0 }) ?? 0...(Self.scenes - 1) {
      var scene = RandomScene(index, delay: delay)
      let run = try await body(&scene)
      await run.end()
      let seen = await run.rig.device.delays.observed.mapValues(\.frames)
      #expect(seen.values.allSatisfy { (delay...delay + 1).contains($0) }, "\(scene.name): \(seen)")
    }
  }

  /// They are switched off with the same change, and of what they chose nobody knows how late it is.
  @Test(arguments: [0, 3, 5]) func theCamerasOwnModesAreSwitchedOffFirst(delay: Int) async throws {
    var options = PhysicsOptions()
    (options.delay, options.light, options.illuminant) = (delay, 1, 3200)
    let run = try await NeverCalibratedRun(options)
    for _ in 0..<30 { await run.rig.step() }
    let point = try NormalizedPoint(x: 0.515, y: 0.27)
    let end = try await run.search(isLate: false) {
      $0.exposure.bias = 2
    } from: { change in
      change.exposure = .init(mode: .auto, point: point, bias: 0)
      change.whiteBalance.colour = .greyWorld
      change.focus = .init(mode: .auto, point: point)
    } until: { settings in
      settings.exposure?.mode == .locked && settings.whiteBalance?.mode == .locked
        && settings.focus?.mode == .locked
    }
    #expect(end.settings.exposure?.failure == nil && end.settings.focus?.failure == nil, "\(end)")
    #expect(end.settings.whiteBalance?.failure == nil, "\(end)")
    let frame = try run.frame
    let exposure = SensorModel.exposure(duration: frame.exposureDuration, iso: frame.iso)
    let metered = run.meteredLight(with: frame.gains, around: point, radius: 0.12)
    #expect(abs(log2(metered * exposure / 0.18)) < 0.25, "\(end.frames) frames")
    let light = Illuminant.color(3200)
    #expect(abs(light.red * frame.gains.red - 1) < 0.04 && abs(light.blue * frame.gains.blue - 1) < 0.04)
    let truth = run.rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(frame.lensPosition - truth) < 0.04)
    await run.end()
  }
}
