import CaptureModel
import CaptureSynthetic
import Synchronization
import Testing

@testable import CaptureEngine

/// Focus and grey where the picture is white, or clips, with the exposure that was set by hand: the search exposes, and sets the exposure back.
@Suite struct BorrowedExposureTests {
  @Test(arguments: [(true, 1), (false, 0), (false, 4)])
  func aWhitePictureIsExposedForTheSearchAlone(isCalibrated: Bool, delay: Int) async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await StagedRig.overexposed(isCalibrated: isCalibrated, delay: delay) {
      $0.focus = .init(mode: .auto, point: point)
    }
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(1 - (after.focus?.lensPosition?.value ?? 9) - truth) < 0.04)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: BorrowingSearch.allCases) func endsWithTheSearchThatSomebodyEnds(search: BorrowingSearch)
    async throws
  {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    _ = try await rig.set(search.end)
    await rig.step()
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: BorrowingSearch.allCases) func endsWithTheStream(search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    await rig.device.unsubscribe(stream)
    await eventually("the exposure is set back") {
      await rig.device.knownSettings()?.exposure == before.exposure
    }
    // The search begins anew, and has the exposure again.
    let next = try await rig.stream()
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(next)
  }

  /// What a bracket or a calibration finds there it sets back; the borrowed exposure is not among it.
  @Test(arguments: [true, false], BorrowingSearch.allCases)
  func endsWithABracketOrACalibration(isBracket: Bool, search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
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
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: BorrowingSearch.allCases) func theNodesEndWaitsUntilItIsSetBack(search: BorrowingSearch)
    async throws
  {
    let (rig, _, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
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

  @Test(arguments: BorrowingSearch.allCases) func whatSomebodySetsMeanwhileStays(search: BorrowingSearch)
    async throws
  {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    let set = try await rig.set { $0.exposure.duration = 0.002 }
    let count = await rig.steps(400, until: search.hasEnded)
    #expect(count < 400)
    for _ in 0..<8 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  /// Also where a control is set by its name.
  @Test(arguments: [true, false], BorrowingSearch.allCases)
  func whatSomebodyLeavesIsAsItWas(isByName: Bool, search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    #expect(await rig.device.knownSettings()?.exposure?.gain != before.exposure?.gain)
    var change = SettingsChange()
    if !isByName { change.exposure.duration = 0.002 }
    let duration = NamedAssignment(name: "exposure_time_absolute", value: .literal("20"))
    let set = try await rig.device.set(change, controls: isByName ? [duration] : []).settings
    #expect(abs((set.exposure?.duration?.value ?? 0) - 0.002) < 1e-9)
    #expect(set.exposure?.gain == before.exposure?.gain)
    _ = try await rig.set(search.end)
    for _ in 0..<8 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  /// A gain that can only be read is no part of what is set back.
  @Test(arguments: BorrowingSearch.allCases) func aReadOnlyGainHindersNothing(search: BorrowingSearch)
    async throws
  {
    var options = PhysicsOptions.manual(delay: 1)
    options.light = 4
    let rig = try await StagedRig(options, readOnly: [.gain])
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure.duration = 0.02 }
    let before = try #require(await rig.device.knownSettings())
    #expect(before.exposure?.gain != nil)
    _ = try await rig.set(search.ask)
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    await rig.device.unsubscribe(stream)
  }

  @Test func aModeOfTheExposureTakesItOver() async throws {
    let (rig, stream, before) = try await StagedRig.overexposed { $0.focus.mode = .auto }
    await rig.stepUntilItExposes(before)
    let set = try await rig.set { $0.exposure.mode = .auto }
    #expect(set.exposure?.mode == .auto && set.exposure?.isAdjusting == true)
    _ = await rig.steps(400) { $0.focus?.mode == .locked && $0.exposure?.mode == .locked }
    for _ in 0..<8 { await rig.step() }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure?.mode == .locked && after.exposure?.failure == nil && after.focus?.failure == nil)
    #expect((after.exposure?.duration?.value ?? 1) < 0.005)
    await rig.device.unsubscribe(stream)
  }

  /// A picture that is white again tells nothing, so what was found stays until it tells something.
  @Test(arguments: [true, false], BorrowingSearch.allCases)
  func aContinuousModeRestsUntilThePictureShowsSomething(isCalibrated: Bool, search: BorrowingSearch)
    async throws
  {
    let (rig, stream, before) = try await StagedRig.overexposed(
      isCalibrated: isCalibrated, search.askContinuously)
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400) { !search.isAdjusting($0) }
    for _ in 0..<20 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == before.exposure)
    _ = rig.camera.takeAssignments()
    for _ in 0..<60 { await rig.step() }
    #expect(rig.camera.takeAssignments().isEmpty)
    await rig.device.unsubscribe(stream)
  }

  @Test func aFailureNamesWhatThePictureIs() async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(light: 14) { $0.focus.mode = .auto }
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure?.contains("white or black") == true)
    #expect(after.focus?.lensPosition == before.focus?.lensPosition)
    #expect(after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: [true, false], BorrowingSearch.allCases)
  func theNextSearchMayExposeToo(isCalibrated: Bool, search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(isCalibrated: isCalibrated, search.ask)
    for _ in 0..<3 {
      await rig.stepUntilItExposes(before)
      _ = await rig.steps(400, until: search.hasFound)
      let after = try #require(await rig.device.knownSettings())
      #expect(search.hasFound(after) && after.exposure == before.exposure)
      _ = try await rig.set(search.ask)
    }
    await rig.device.unsubscribe(stream)
  }

  /// Somebody takes the exposure, and ends the search, at once or one after the other. The next search has what that one set.
  @Test(arguments: [true, false], BorrowingSearch.allCases)
  func aSearchAfterOneThatLostTheExposureMayExpose(isAtOnce: Bool, search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    _ = try await rig.set {
      $0.exposure = .init(duration: 0.01, gain: 16)
      if isAtOnce { search.end(&$0) }
    }
    if !isAtOnce { _ = try await rig.set(search.end) }
    #expect(await rig.device.knownSettings()?.exposure == before.exposure)
    _ = try await rig.set(search.ask)
    await rig.stepUntilItExposes(before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }
}
