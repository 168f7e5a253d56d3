import Capture3A
import CaptureControls
import CaptureModel
import Testing

@testable import CaptureEngine

/// What a search gives back to the camera, where the driver refuses it while frames come.
@Suite struct RefusedSetBackTests {
  /// It is set with a later frame, and kept like anything that a search ends with.
  @Test(arguments: [1, 4], SetBack.allCases)
  func whatIsRefusedForAWhileIsSetLater(times: Int, setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    run.refuse(times: times)
    _ = try await run.rig.set(setBack.ask)
    await run.runToRest()
    #expect(try await run.isBack)
    #expect(run.rig.camera.refusals == times && run.told.isEmpty)
    #expect(await run.kept == run.value)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// It is told once, and nothing else waits for it. What the camera is left with is not kept.
  @Test(arguments: SetBack.allCases)
  func whatIsRefusedForEverIsToldOnce(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    run.refuse()
    _ = try await run.rig.set(setBack.ask)
    await run.runToRest()
    let told = run.told
    for _ in 0..<70 { await run.rig.step() }
    #expect(told.count == 1 && run.told == told, "\(run.told)")
    #expect(told.first?.hasPrefix(setBack.beginOfNotice) == true, "\(told)")
    let end = ": the camera refused it 7 times, and it is not tried again: out of range"
    #expect(told.first?.hasSuffix(end) == true, "\(told)")
    #expect(run.rig.camera.refusals == SetBacks.mostTries)
    let after = try #require(await run.rig.device.knownSettings())
    #expect(try await !run.isBack && after.exposure?.gain == run.before.exposure?.gain)
    if setBack != .borrowedExposure { #expect(await run.kept == nil) }
    #expect(run.rig.told(.automationEnded).isEmpty)
    await run.rig.device.unsubscribe(run.stream)
  }

  @Test func aModeThatIsOnGoesOnMeanwhile() async throws {
    let run = try await SetBackRun(.exposure)
    run.refuse()
    _ = try await run.rig.set { change in
      change.exposure.mode = .auto
      change.whiteBalance.mode = .continuous
    }
    let count = await run.rig.steps(900) { !run.told.isEmpty && $0.whiteBalance?.isAdjusting == false }
    #expect(count < 900)
    let balance = try #require(await run.rig.device.knownSettings()?.whiteBalance)
    #expect(balance.isSoftware && balance.gains?.value == run.before.whiteBalance?.gains?.value)
    #expect(run.told.count == 1 && run.rig.told(.automationEnded).isEmpty)
    await run.rig.device.unsubscribe(run.stream)
  }

  // MARK: Clients

  @Test(arguments: SetBack.allCases)
  func whatAClientSetsMeanwhileStays(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    try await run.runUntilItIsRefused()
    let set = try await run.rig.set(setBack.setByHand)
    #expect(!run.rig.software.wantsFrames)
    run.rig.camera.refuse(nil)
    _ = run.rig.camera.takeAssignments()
    for _ in 0..<70 { await run.rig.step() }
    #expect(run.rig.camera.takeAssignments().isEmpty && run.told.isEmpty)
    #expect(setBack.isSame(try #require(await run.rig.device.knownSettings()), set))
    await run.rig.device.unsubscribe(run.stream)
  }

  /// The gain is refused: the camera gets it back by itself, and refuses no change for it.
  @Test func aDurationThatAClientSetsDoesNotWaitForTheGain() async throws {
    let run = try await SetBackRun(.borrowedExposure)
    let gain = try #require(try await run.rig.camera.values(of: [.gain]).first)
    run.rig.camera.refuse(StagedCamera.refused, of: .gain, at: gain)
    _ = try await run.rig.set(run.setBack.ask)
    let count = await run.rig.steps(900) { run.setBack.hasEnded($0) && run.rig.camera.refusals >= 2 }
    #expect(count < 900)
    let set = try await run.rig.set { $0.exposure.duration = 0.002 }
    #expect(set.exposure?.gain != run.before.exposure?.gain && run.rig.software.wantsFrames)
    run.rig.camera.refuse(nil)
    await run.runToRest()
    let after = try #require(await run.rig.device.knownSettings()?.exposure)
    #expect(after.gain == run.before.exposure?.gain && after.duration == set.exposure?.duration)
    await run.rig.device.unsubscribe(run.stream)
  }

  @Test(arguments: SetBack.allCases)
  func aRefusedChangeOfAClientLeavesItDue(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    try await run.runUntilItIsRefused()
    run.rig.camera.refuse(StagedCamera.refused, of: setBack.control)
    let error = await refusal { _ = try await run.rig.set(setBack.setByHand) }
    #expect(error == StagedCamera.refused)
    run.rig.camera.refuse(nil)
    await run.runToRest()
    #expect(try await run.isBack && run.told.isEmpty)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// It returns to what was there before the first one.
  @Test(arguments: SetBack.allCases)
  func theNextSearchReturnsToIt(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    try await run.runUntilItIsRefused()
    _ = try await run.rig.set(setBack.ask)
    run.rig.camera.refuse(nil)
    await run.runToRest()
    #expect(try await run.isBack && run.told.isEmpty)
    await run.rig.device.unsubscribe(run.stream)
  }

  // MARK: The stream's end

  @Test(arguments: SetBack.allCases)
  func whatIsLeftWhenTheStreamEndsIsSetThen(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    try await run.runUntilItIsRefused()
    run.rig.camera.refuse(nil)
    await run.rig.device.unsubscribe(run.stream)
    await eventually("it is set back") {
      (try? await run.isBack) == true && run.rig.software.isIdle && !run.rig.software.wantsFrames
    }
    #expect(run.told.isEmpty)
  }

  /// It is told then, since no frames come, and set with the next stream's.
  @Test(arguments: SetBack.allCases)
  func whatIsStillRefusedThenIsToldAndSetWithTheNextStream(setBack: SetBack) async throws {
    let run = try await SetBackRun(setBack)
    try await run.runUntilItIsRefused()
    // The node would set its clients' values again when the next stream begins.
    var memory = await run.rig.device.memory
    memory.controls = ControlMemory()
    await run.rig.device.recall(memory)
    await run.rig.device.unsubscribe(run.stream)
    await eventually("it is told") { !run.told.isEmpty && run.rig.software.isIdle }
    #expect(run.told.count == 1 && run.told[0].hasPrefix(setBack.beginOfNotice), "\(run.told)")
    #expect(run.told[0].hasSuffix("it is tried again with the next stream: out of range"), "\(run.told)")
    #expect(try await !run.isBack)
    run.rig.camera.refuse(nil)
    let next = try await run.rig.stream()
    await run.runToRest()
    #expect(try await run.isBack && run.told.count == 1)
    await run.rig.device.unsubscribe(next)
  }
}
