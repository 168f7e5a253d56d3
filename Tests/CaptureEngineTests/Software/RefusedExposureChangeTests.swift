import CaptureModel
import Testing

@testable import CaptureEngine

/// Changes of an exposure that a search has borrowed, and of one that it gives back, where the camera refuses them.
@Suite struct RefusedExposureChangeTests {
  /// The search goes on with the exposure, and sets it back when it ends.
  @Test(arguments: RefusedChange.allCases, BorrowingSearch.allCases)
  func aRefusedChangeTakesNothing(change: RefusedChange, search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    await change.make(on: rig)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    #expect(!rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// The search has ended, and the change comes before the exposure is set back.
  @Test(arguments: BorrowingSearch.allCases)
  func aRefusedChangeBeforeItIsSetBackTakesNothing(search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    await rig.stepUntilItExposes(before)
    rig.camera.refuse(StagedCamera.refused, of: .exposureAbsolute, at: .integer(20))
    // Something else has the settings for a while.
    await rig.device.run { await $0.gates.settings.enterToCleanUp() }
    let change = Task { try await rig.set { $0.exposure.duration = 0.002 } }
    await eventually("the change waits") { await rig.device.run { $0.gates.settings.waitingCount } == 1 }
    let end = Task { [device = rig.device] in await device.unsubscribe(stream) }
    await eventually("the software waits") { await rig.device.run { $0.gates.settings.waitingCount } == 2 }
    await rig.device.run { $0.gates.settings.leave() }
    #expect(await refusal { _ = try await change.value } == StagedCamera.refused)
    await end.value
    await eventually("the exposure is set back") {
      await rig.device.knownSettings()?.exposure == before.exposure
    }
  }

  /// Nor does it where the camera then refuses what it had before, too. The next stream sets that back.
  @Test(arguments: BorrowingSearch.allCases)
  func aRefusedSetBackWithoutFramesIsMadeUpFor(search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    // As if another program had set the exposure: the node would set its clients' values again when the stream begins.
    var memory = await rig.device.memory
    memory.controls = ControlMemory()
    await rig.device.recall(memory)
    await rig.stepUntilItExposes(before)
    // Something else has the settings for a while.
    await rig.device.run { await $0.gates.settings.enterToCleanUp() }
    let change = Task { try await rig.set { $0.exposure.duration = 0.002 } }
    await eventually("the change waits") { await rig.device.run { $0.gates.settings.waitingCount } == 1 }
    let end = Task { [device = rig.device] in await device.unsubscribe(stream) }
    await eventually("the software waits") { await rig.device.run { $0.gates.settings.waitingCount } == 2 }
    rig.camera.refuse(StagedCamera.refused, of: .exposureAbsolute)
    await rig.device.run { $0.gates.settings.leave() }
    #expect(await refusal { _ = try await change.value } == StagedCamera.refused)
    await end.value
    await eventually("the software has nothing to do") { rig.software.isIdle }
    #expect(await rig.device.knownSettings()?.exposure?.duration != before.exposure?.duration)
    rig.camera.refuse(nil)
    let next = try await rig.stream()
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    await rig.device.unsubscribe(next)
  }

  /// The search has borrowed it when the stream ends. The next stream's frames set it back; the search begins anew with it.
  @Test(arguments: BorrowingSearch.allCases)
  func aRefusedSetBackAtTheStreamsEndIsMadeUpFor(search: BorrowingSearch) async throws {
    let (rig, stream, before) = try await StagedRig.overexposed(search.ask)
    // The node would set its clients' values again when the next stream begins.
    var memory = await rig.device.memory
    memory.controls = ControlMemory()
    await rig.device.recall(memory)
    await rig.stepUntilItExposes(before)
    rig.camera.refuse(StagedCamera.refused, of: .exposureAbsolute)
    await rig.device.unsubscribe(stream)
    await eventually("what can be set back is") {
      await rig.device.knownSettings()?.exposure?.gain == before.exposure?.gain && rig.software.isIdle
    }
    let told = rig.told(.controlNotRestored)
    #expect(told.count == 1 && told.first?.hasPrefix("the exposure duration should be 0.01 s again") == true)
    #expect(told.first?.contains("is tried again with the next stream") == true, "\(told)")
    rig.camera.refuse(nil)
    let next = try await rig.stream()
    _ = await rig.steps(400) { search.hasFound($0) && !rig.software.wantsFrames }
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    #expect(rig.told(.controlNotRestored).count == 1)
    await rig.device.unsubscribe(next)
  }
}
