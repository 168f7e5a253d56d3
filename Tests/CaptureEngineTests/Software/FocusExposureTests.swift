import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Focus where the picture is white with the exposure that was set by hand: the search exposes, and sets the exposure back.
@Suite struct FocusExposureTests {
  /// Begins where the picture is white. `set`: what is asked for.
  private func rig(
    isCalibrated: Bool = true, delay: Int = 1, light: Double = 4, _ set: (inout SettingsChange) -> Void
  ) async throws -> (rig: StagedRig, stream: FrameSubscription, before: CameraSettings) {
    var options = PhysicsOptions.manual(delay: delay)
    options.light = light
    let rig = try await StagedRig(options, isCalibrated: isCalibrated)
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    let before = try #require(await rig.device.knownSettings())
    _ = try await rig.set(set)
    return (rig, stream, before)
  }

  /// Steps until the search exposes.
  private func stepUntilLent(_ rig: StagedRig, _ before: CameraSettings) async {
    let count = await rig.steps(60) { $0.exposure?.duration?.value != before.exposure?.duration?.value }
    #expect(count < 60, "the search does not expose")
  }

  @Test(arguments: [(true, 1), (false, 0), (false, 4)])
  func aWhitePictureIsExposedForTheSearchAlone(isCalibrated: Bool, delay: Int) async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated, delay: delay) {
      $0.focus = .init(mode: .auto, point: point)
    }
    await stepUntilLent(rig, before)
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(1 - (after.focus?.lensPosition?.value ?? 9) - truth) < 0.04)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test func endsWithTheSearchThatSomebodyEnds() async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    _ = try await rig.set { $0.focus.mode = .locked }
    await rig.step()
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test func endsWithTheStream() async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    await rig.device.unsubscribe(stream)
    await eventually("the exposure is set back") {
      await rig.device.knownSettings()?.exposure == before.exposure
    }
    // The search begins anew, and has the exposure again.
    let next = try await rig.stream()
    await stepUntilLent(rig, before)
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil && after.exposure == before.exposure)
    await rig.device.unsubscribe(next)
  }

  /// What a bracket or a calibration finds there it sets back; the exposure that was lent is not among it.
  @Test(arguments: [true, false]) func endsWithABracketOrACalibration(isBracket: Bool) async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    if isBracket {
      var request = VideoRequest(encoding: .raw)
      request.settling = .zero
      let wanted = PhotoRequest(request)
      try await outcome { [device = rig.device] in
        try await device.run { device in
          try await device.photos.captureBracket(
            [.exposure(duration: 0.002, gain: 4)], wanted, on: device, progress: { _ in },
            deliver: { _ in })
        }
      } while: {
        let isWaiting = await rig.device.run { device in
          device.context.stream.active?.hub.consumers.contains { $0 is PhotoConsumer } == true
        }
        if isWaiting { rig.camera.step() }
      }
    } else {
      // In a white picture nothing shows, which is an error.
      try? await rig.device.calibrate(["gain"], through: FrameMeasurer(stepping: rig.camera)) { _ in }
    }
    let present = await rig.device.knownSettings()?.exposure
    #expect(present?.duration == before.exposure?.duration && present?.gain == before.exposure?.gain)
    // The search begins anew, and has the exposure again.
    await stepUntilLent(rig, before)
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }

  @Test func theNodesEndWaitsUntilItIsSetBack() async throws {
    let (rig, _, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    // Something else has the settings for a while.
    await rig.device.run { await $0.gates.settings.enterToCleanUp() }
    let hasEnded = Mutex(false)
    let end = Task { [engine = rig.engine, device = rig.device] in
      await engine.shutDown()
      hasEnded.withLock { $0 = true }
      return await device.knownSettings()?.exposure
    }
    await eventually("it waits for the settings") {
      await rig.device.run { $0.gates.settings.waitingCount } == 1
    }
    #expect(!hasEnded.withLock { $0 })
    await rig.device.run { $0.gates.settings.leave() }
    let after = await end.value
    #expect(after?.duration == before.exposure?.duration && after?.gain == before.exposure?.gain)
  }

  @Test func whatSomebodySetsMeanwhileStays() async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    let set = try await rig.set { $0.exposure.duration = 0.002 }
    let count = await rig.steps(400) { $0.focus?.mode == .locked }
    #expect(count < 400)
    for _ in 0..<8 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  @Test func aModeOfTheExposureTakesItOver() async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilLent(rig, before)
    let set = try await rig.set { $0.exposure.mode = .auto }
    #expect(set.exposure?.mode == .auto && set.exposure?.isAdjusting == true)
    _ = await rig.steps(400) { $0.focus?.mode == .locked && $0.exposure?.mode == .locked }
    for _ in 0..<8 { await rig.step() }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure?.mode == .locked && after.exposure?.failure == nil && after.focus?.failure == nil)
    #expect((after.exposure?.duration?.value ?? 1) < 0.005)
    await rig.device.unsubscribe(stream)
  }

  /// A picture that is white again tells nothing about focus, so the lens stays until it tells something.
  @Test(arguments: [true, false]) func continuousFocusRestsUntilThePictureShowsSomething(isCalibrated: Bool)
    async throws
  {
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated) { $0.focus.mode = .continuous }
    await stepUntilLent(rig, before)
    _ = await rig.steps(400) { $0.focus?.isAdjusting == false }
    for _ in 0..<20 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == before.exposure)
    _ = rig.camera.takeAssignments()
    for _ in 0..<60 { await rig.step() }
    #expect(rig.camera.takeAssignments().isEmpty)
    await rig.device.unsubscribe(stream)
  }

  @Test func aFailureNamesWhatThePictureIs() async throws {
    let (rig, stream, before) = try await rig(light: 14) { $0.focus.mode = .auto }
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure?.contains("white or black") == true)
    #expect(after.focus?.lensPosition == before.focus?.lensPosition)
    #expect(after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }
}
