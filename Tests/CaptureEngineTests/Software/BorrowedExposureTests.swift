import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Focus and grey where the picture is white, or clips, with the exposure that was set by hand: the search exposes, and sets the exposure back.
@Suite struct BorrowedExposureTests {
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

  /// A search that is asked for.
  enum Search: CaseIterable {
    case focus
    case grey

    func ask(_ change: inout SettingsChange) {
      switch self {
      case .focus: change.focus.mode = .auto
      case .grey: change.whiteBalance.colour = .greyWorld
      }
    }

    func end(_ change: inout SettingsChange) {
      switch self {
      case .focus: change.focus.mode = .locked
      case .grey: change.whiteBalance.mode = .locked
      }
    }

    func askContinuously(_ change: inout SettingsChange) {
      switch self {
      case .focus: change.focus.mode = .continuous
      case .grey: change.whiteBalance.mode = .continuous
      }
    }

    func isAdjusting(_ settings: CameraSettings) -> Bool {
      switch self {
      case .focus: settings.focus?.isAdjusting != false
      case .grey: settings.whiteBalance?.isAdjusting != false
      }
    }

    func hasEnded(_ settings: CameraSettings) -> Bool {
      switch self {
      case .focus: settings.focus?.mode == .locked
      case .grey: settings.whiteBalance?.mode == .locked
      }
    }

    func hasFound(_ settings: CameraSettings) -> Bool {
      let failure = self == .focus ? settings.focus?.failure : settings.whiteBalance?.failure
      return hasEnded(settings) && failure == nil
    }
  }

  /// Steps until the search exposes.
  private func stepUntilItExposes(_ rig: StagedRig, _ before: CameraSettings) async {
    let count = await rig.steps(60) { $0.exposure?.duration?.value != before.exposure?.duration?.value }
    #expect(count < 60, "the search does not expose")
  }

  @Test(arguments: [(true, 1), (false, 0), (false, 4)])
  func aWhitePictureIsExposedForTheSearchAlone(isCalibrated: Bool, delay: Int) async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated, delay: delay) {
      $0.focus = .init(mode: .auto, point: point)
    }
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400) { $0.focus?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil)
    let truth = rig.camera.truth.lensPosition(inFocusAt: PhysicsPoint(x: point.x, y: point.y))
    #expect(abs(1 - (after.focus?.lensPosition?.value ?? 9) - truth) < 0.04)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: Search.allCases) func endsWithTheSearchThatSomebodyEnds(search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    _ = try await rig.set(search.end)
    await rig.step()
    let after = try #require(await rig.device.knownSettings())
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: Search.allCases) func endsWithTheStream(search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    await rig.device.unsubscribe(stream)
    await eventually("the exposure is set back") {
      await rig.device.knownSettings()?.exposure == before.exposure
    }
    // The search begins anew, and has the exposure again.
    let next = try await rig.stream()
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(next)
  }

  /// What a bracket or a calibration finds there it sets back; the borrowed exposure is not among it.
  @Test(arguments: [true, false], Search.allCases)
  func endsWithABracketOrACalibration(isBracket: Bool, search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
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
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }

  @Test(arguments: Search.allCases) func theNodesEndWaitsUntilItIsSetBack(search: Search) async throws {
    let (rig, _, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
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

  @Test(arguments: Search.allCases) func whatSomebodySetsMeanwhileStays(search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    let set = try await rig.set { $0.exposure.duration = 0.002 }
    let count = await rig.steps(400, until: search.hasEnded)
    #expect(count < 400)
    for _ in 0..<8 { await rig.step() }
    #expect(await rig.device.knownSettings()?.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  /// Also where a control is set by its name.
  @Test(arguments: [true, false], Search.allCases)
  func whatSomebodyLeavesIsAsItWas(isByName: Bool, search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
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
  @Test(arguments: Search.allCases) func aReadOnlyGainHindersNothing(search: Search) async throws {
    var options = PhysicsOptions.manual(delay: 1)
    options.light = 4
    let rig = try await StagedRig(options, readOnly: [.gain])
    let stream = try await rig.stream()
    _ = try await rig.set { $0.exposure.duration = 0.02 }
    let before = try #require(await rig.device.knownSettings())
    #expect(before.exposure?.gain != nil)
    _ = try await rig.set(search.ask)
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    await rig.device.unsubscribe(stream)
  }

  @Test func aModeOfTheExposureTakesItOver() async throws {
    let (rig, stream, before) = try await rig { $0.focus.mode = .auto }
    await stepUntilItExposes(rig, before)
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
  @Test(arguments: [true, false], Search.allCases)
  func aContinuousModeRestsUntilThePictureShowsSomething(isCalibrated: Bool, search: Search) async throws {
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated, search.askContinuously)
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400) { !search.isAdjusting($0) }
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

  @Test(arguments: [true, false], Search.allCases)
  func theNextSearchMayExposeToo(isCalibrated: Bool, search: Search) async throws {
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated, search.ask)
    for _ in 0..<3 {
      await stepUntilItExposes(rig, before)
      _ = await rig.steps(400, until: search.hasFound)
      let after = try #require(await rig.device.knownSettings())
      #expect(search.hasFound(after) && after.exposure == before.exposure)
      _ = try await rig.set(search.ask)
    }
    await rig.device.unsubscribe(stream)
  }

  /// Somebody takes the exposure, and ends the search, at once or one after the other. The next search has what that one set.
  @Test(arguments: [true, false], Search.allCases)
  func aSearchAfterOneThatLostTheExposureMayExpose(isAtOnce: Bool, search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    _ = try await rig.set {
      $0.exposure = .init(duration: 0.01, gain: 16)
      if isAtOnce { search.end(&$0) }
    }
    if !isAtOnce { _ = try await rig.set(search.end) }
    #expect(await rig.device.knownSettings()?.exposure == before.exposure)
    _ = try await rig.set(search.ask)
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }

  // MARK: Changes that the camera refuses

  /// A change of the exposure that the camera refuses.
  enum RefusedChange: CaseIterable {
    case atOnce
    /// Its duration is set by then.
    case halfWay
    /// It is a mode of the node's.
    case afterAMode
    /// It takes the exposure from nobody.
    case afterAPoint

    func make(on rig: StagedRig) async {
      var change = SettingsChange()
      var controls: [NamedAssignment] = []
      let refused: ControlID
      switch self {
      case .atOnce:
        change.exposure = .init(duration: 0.002, gain: 100)
        refused = .exposureAbsolute
      case .halfWay:
        change.exposure.duration = 0.002
        controls = [NamedAssignment(name: "gain", value: .literal("100"))]
        refused = .gain
      case .afterAMode:
        change.exposure.mode = .auto
        controls = [NamedAssignment(name: "focus_absolute", value: .literal("300"))]
        refused = .focusAbsolute
      case .afterAPoint:
        change.exposure.point = try? NormalizedPoint(x: 0.25, y: 0.25)
        controls = [NamedAssignment(name: "focus_absolute", value: .literal("300"))]
        refused = .focusAbsolute
      }
      rig.camera.refuse(BorrowedExposureTests.refused, of: refused)
      let error = await refusal { [change, controls] in
        _ = try await rig.device.set(change, controls: controls)
      }
      #expect(error == BorrowedExposureTests.refused)
      rig.camera.refuse(nil)
    }
  }

  private static let refused = CaptureError(.invalidArgument, "out of range")

  /// The search goes on with the exposure, and sets it back when it ends.
  @Test(arguments: RefusedChange.allCases, Search.allCases)
  func aRefusedChangeTakesNothing(change: RefusedChange, search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    await change.make(on: rig)
    _ = await rig.steps(400, until: search.hasFound)
    let after = try #require(await rig.device.knownSettings())
    #expect(search.hasFound(after) && after.exposure == before.exposure, "\(after)")
    #expect(!rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// The search has ended, and the change comes before the exposure is set back.
  @Test(arguments: Search.allCases)
  func aRefusedChangeBeforeItIsSetBackTakesNothing(search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    await stepUntilItExposes(rig, before)
    rig.camera.refuse(Self.refused, of: .exposureAbsolute, at: .integer(20))
    // Something else has the settings for a while.
    await rig.device.run { await $0.gates.settings.enterToCleanUp() }
    let change = Task { try await rig.set { $0.exposure.duration = 0.002 } }
    await eventually("the change waits") { await rig.device.run { $0.gates.settings.waitingCount } == 1 }
    let end = Task { [device = rig.device] in await device.unsubscribe(stream) }
    await eventually("the software waits") { await rig.device.run { $0.gates.settings.waitingCount } == 2 }
    await rig.device.run { $0.gates.settings.leave() }
    #expect(await refusal { _ = try await change.value } == Self.refused)
    await end.value
    await eventually("the exposure is set back") {
      await rig.device.knownSettings()?.exposure == before.exposure
    }
  }

  /// Nor does it where the camera then refuses what it had before, too. The next stream sets that back.
  @Test(arguments: Search.allCases)
  func aRefusedSetBackWithoutFramesIsMadeUpFor(search: Search) async throws {
    let (rig, stream, before) = try await rig(search.ask)
    // As if another program had set the exposure: the node would set its clients' values again when the stream begins.
    var memory = await rig.device.memory
    memory.controls = ControlMemory()
    await rig.device.recall(memory)
    await stepUntilItExposes(rig, before)
    // Something else has the settings for a while.
    await rig.device.run { await $0.gates.settings.enterToCleanUp() }
    let change = Task { try await rig.set { $0.exposure.duration = 0.002 } }
    await eventually("the change waits") { await rig.device.run { $0.gates.settings.waitingCount } == 1 }
    let end = Task { [device = rig.device] in await device.unsubscribe(stream) }
    await eventually("the software waits") { await rig.device.run { $0.gates.settings.waitingCount } == 2 }
    rig.camera.refuse(Self.refused, of: .exposureAbsolute)
    await rig.device.run { $0.gates.settings.leave() }
    #expect(await refusal { _ = try await change.value } == Self.refused)
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

  // MARK: Grey

  private static func gains(_ settings: CameraSettings) -> WhiteBalanceGains? {
    settings.whiteBalance?.gains?.value
  }

  private func expectGrey(_ rig: StagedRig, _ settings: CameraSettings) throws {
    let gains = try #require(Self.gains(settings))
    let light = Illuminant.color(rig.camera.truth.world.illuminant)
    #expect(abs(light.red * gains.red / gains.green - 1) < 0.04)
    #expect(abs(light.blue * gains.blue / gains.green - 1) < 0.04)
  }

  @Test(arguments: [(true, 1), (false, 0), (false, 4)])
  func aPictureThatClipsIsExposedForGreyAlone(isCalibrated: Bool, delay: Int) async throws {
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated, delay: delay) {
      $0.whiteBalance.colour = .greyWorld
    }
    await stepUntilItExposes(rig, before)
    _ = await rig.steps(400) { $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.whiteBalance?.failure == nil)
    try expectGrey(rig, after)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Each borrows for itself, one after the other.
  @Test func focusAndGreyAtOnceBothEndRight() async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await rig {
      $0.focus = .init(mode: .auto, point: point)
      $0.whiteBalance.colour = .greyWorld
    }
    _ = await rig.steps(600) { $0.focus?.mode == .locked && $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.focus?.failure == nil && after.whiteBalance?.failure == nil)
    try expectGrey(rig, after)
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Grey waits for focus, and then goes on.
  @Test func focusThatBeginsMeanwhileTakesTheExposureOver() async throws {
    let point = try NormalizedPoint(x: 0.25, y: 0.25)
    let (rig, stream, before) = try await rig(isCalibrated: false) { $0.whiteBalance.colour = .greyWorld }
    await stepUntilItExposes(rig, before)
    _ = try await rig.set { $0.focus = .init(mode: .auto, point: point) }
    _ = await rig.steps(600) { $0.focus?.mode == .locked && $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(Search.focus.hasFound(after) && Search.grey.hasFound(after), "\(after)")
    #expect(after.exposure == before.exposure && !rig.software.wantsFrames)
    await rig.device.unsubscribe(stream)
  }

  /// Steps until the search for grey has ended: it fails in a picture that is too bright, and what somebody has set of the exposure stays all the time.
  private func expectGreyToFail(_ rig: StagedRig, leaving set: CameraSettings) async throws {
    var stays = true
    _ = await rig.steps(400) { settings in
      stays = stays && settings.exposure == set.exposure
      return settings.whiteBalance?.mode == .locked
    }
    let after = try #require(await rig.device.knownSettings())
    #expect(stays && after.exposure == set.exposure)
    #expect(after.whiteBalance?.failure?.contains("too bright") == true)
  }

  /// Somebody takes the exposure from focus, for which grey waits: it is not borrowed for grey either, until somebody asks for that anew.
  @Test(arguments: [true, false])
  func whatSomebodySetsWhileGreyWaitsStays(isCalibrated: Bool) async throws {
    let (rig, stream, before) = try await rig(isCalibrated: isCalibrated) { change in
      change.focus.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    await stepUntilItExposes(rig, before)
    let set = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    // Frames show it before the turn comes to grey.
    for _ in 0..<3 { await rig.step() }
    _ = try await rig.set { $0.focus.mode = .locked }
    try await expectGreyToFail(rig, leaving: set)
    _ = try await rig.set { $0.whiteBalance.colour = .greyWorld }
    _ = await rig.steps(400, until: Search.grey.hasFound)
    let again = try #require(await rig.device.knownSettings())
    #expect(Search.grey.hasFound(again) && again.exposure == set.exposure)
    await rig.device.unsubscribe(stream)
  }

  /// The exposure was taken from grey before, and the change is one while focus has it: grey gets it no more than without the change.
  @Test func aRefusedChangeDoesNotLetGreyBorrow() async throws {
    let (rig, stream, before) = try await rig { change in
      change.focus.mode = .auto
      change.whiteBalance.colour = .greyWorld
    }
    await stepUntilItExposes(rig, before)
    let set = try await rig.set { $0.exposure = .init(duration: 0.01, gain: 16) }
    for _ in 0..<3 { await rig.step() }
    _ = try await rig.set { $0.focus.mode = .auto }
    await stepUntilItExposes(rig, before)
    await RefusedChange.atOnce.make(on: rig)
    _ = try await rig.set { $0.focus.mode = .locked }
    await rig.step()
    try await expectGreyToFail(rig, leaving: set)
    await rig.device.unsubscribe(stream)
  }

  /// Too bright for the shortest exposure.
  @Test func greyThatNoExposureShowsIsAFailure() async throws {
    let (rig, stream, before) = try await rig(light: 14) { $0.whiteBalance.colour = .greyWorld }
    _ = await rig.steps(400) { $0.whiteBalance?.mode == .locked }
    let after = try #require(await rig.device.knownSettings())
    #expect(after.whiteBalance?.failure?.contains("too bright") == true)
    #expect(Self.gains(after) == Self.gains(before) && after.exposure == before.exposure)
    await rig.device.unsubscribe(stream)
  }
}
