import Capture3A
import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A search of the node's that takes over from the camera's own automatic mode.
enum TakeOver: CaseIterable {
  case exposure
  case focus
  case whiteBalance
  case greyWorld

  func ask(_ change: inout SettingsChange) {
    switch self {
    case .exposure: change.exposure = .init(mode: .auto, point: try? NormalizedPoint(x: 0.25, y: 0.25))
    case .focus: change.focus = .init(mode: .auto, point: try? NormalizedPoint(x: 0.25, y: 0.25), range: .far)
    case .whiteBalance: change.whiteBalance.mode = .auto
    case .greyWorld: change.whiteBalance.colour = .greyWorld
    }
  }

  func setByHand(_ change: inout SettingsChange) {
    switch self {
    case .exposure: change.exposure = .init(duration: 0.002, gain: 16)
    case .focus: change.focus.lensPosition = 0.5
    case .whiteBalance, .greyWorld: change.whiteBalance.mode = .locked
    }
  }

  /// The control of the camera's own mode.
  var control: ControlID {
    switch self {
    case .exposure: .autoExposure
    case .focus: .autoFocus
    case .whiteBalance, .greyWorld: .autoWhiteBalance
    }
  }

  var on: ControlValue { .integer(self == .exposure ? 3 : 1) }

  var nameOfMode: String {
    switch self {
    case .exposure: "exposure"
    case .focus: "focus"
    case .whiteBalance, .greyWorld: "white balance"
    }
  }

  func failure(_ settings: CameraSettings) -> String? {
    switch self {
    case .exposure: settings.exposure?.failure
    case .focus: settings.focus?.failure
    case .whiteBalance, .greyWorld: settings.whiteBalance?.failure
    }
  }

  /// Whether the camera's own mode is on.
  func isOn(_ settings: CameraSettings) -> Bool {
    switch self {
    case .exposure: settings.exposure?.mode == .continuous && settings.exposure?.isSoftware == false
    case .focus: settings.focus?.mode == .continuous && settings.focus?.isSoftware == false
    case .whiteBalance, .greyWorld:
      settings.whiteBalance?.mode == .continuous && settings.whiteBalance?.isSoftware == false
    }
  }

  /// Whether the mode is one in which nothing follows the scene.
  func isByHand(_ settings: CameraSettings) -> Bool {
    switch self {
    case .exposure: settings.exposure?.mode == .locked || settings.exposure?.mode == .custom
    case .focus: settings.focus?.mode == .locked
    case .whiteBalance, .greyWorld: settings.whiteBalance?.mode == .locked
    }
  }
}

/// A camera whose own automatic modes are on, in the dark.
private struct DarkRun {
  let search: TakeOver
  let rig: StagedRig
  let stream: FrameSubscription

  init(_ search: TakeOver, light: Double = -16) async throws {
    self.search = search
    var options = PhysicsOptions()
    (options.delay, options.light) = (0, light)
    rig = try await StagedRig(options, isCalibrated: false)
    stream = try await rig.stream()
    for _ in 0..<20 { await rig.step() }
    #expect(search.isOn(try #require(await rig.device.knownSettings())))
  }

  /// Steps until the search has found nothing, and the node's modes have nothing to do any more.
  func runUntilItFails() async {
    let count = await rig.steps(1200) { search.failure($0) != nil && !rig.software.wantsFrames }
    #expect(count < 1200, "it does not fail")
  }

  func refuse(times: Int? = nil) {
    rig.camera.refuse(StagedCamera.refused, of: search.control, at: search.on, times: times)
  }

  var isSwitchedOn: Bool {
    get async throws { try await rig.camera.values(of: [search.control]) == [search.on] }
  }

  /// What is kept of the mode for the camera's return.
  var kept: ControlValue? {
    get async { await rig.device.memory.controls.entries.first { $0.id == search.control }?.value }
  }

  var settings: CameraSettings { get async throws { try #require(await rig.device.knownSettings()) } }
}

/// A search that finds nothing gives the camera its own automatic mode back.
@Suite struct GivenBackModeTests {
  @Test(arguments: TakeOver.allCases)
  func theCamerasOwnModeIsOnAgainAndTheReasonIsSaid(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    let asked = try await run.rig.set(search.ask)
    #expect(!search.isOn(asked))
    #expect(try await !run.isSwitchedOn)
    await run.runUntilItFails()
    let after = try await run.settings
    #expect(search.isOn(after) && search.failure(after) != nil, "\(after)")
    #expect(try await run.isSwitchedOn)
    #expect(after.focus?.point == .center && after.exposure?.point == .center)
    #expect(after.focus?.range == FocusRange.none)
    // The reason lasts until the mode is asked for again.
    let again = try await run.rig.set { change in
      change.focus.mode = .continuous
      change.exposure.mode = .continuous
      change.whiteBalance.mode = .continuous
    }
    #expect(search.isOn(again) && search.failure(again) == nil && !run.rig.software.wantsFrames)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// A restart of the node does not lock it.
  @Test(arguments: TakeOver.allCases)
  func itIsKeptSo(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    await run.runUntilItFails()
    #expect(await run.kept == search.on)
    await run.rig.device.unsubscribe(run.stream)
    let other = try await StagedRig(PhysicsOptions())
    _ = try await other.set(search.setByHand)
    await other.restart(with: run.rig.device.memory)
    await eventually("it has its settings") {
      guard let settings = try? await other.device.settings() else { return false }
      return search.isOn(settings) && settings.focus?.point == .center && settings.exposure?.point == .center
    }
    #expect(try await other.camera.values(of: [search.control]) == [search.on])
  }

  /// Nobody waits for the search any more.
  @Test(arguments: TakeOver.allCases)
  func aNodeThatBeginsAnewInsteadOfTheSearchGivesItBack(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    for _ in 0..<5 { await run.rig.step() }
    let memory = await run.rig.device.memory
    await run.rig.device.unsubscribe(run.stream)
    let other = try await StagedRig(PhysicsOptions())
    _ = try await other.set(search.setByHand)
    await other.restart(with: memory)
    await eventually("its own mode is on") {
      guard let settings = try? await other.device.settings() else { return false }
      return search.isOn(settings) && settings.focus?.point == .center && settings.exposure?.point == .center
    }
    #expect(try await other.camera.values(of: [search.control]) == [search.on])
    await eventually("it is kept so") {
      let memory = await other.device.memory
      let kept = memory.controls.entries.first { $0.id == search.control }
      return memory.software == nil && kept?.value == search.on
    }
  }

  /// A client was before the node when the camera came.
  @Test(arguments: TakeOver.allCases)
  func whatAClientSetsBeforeThatStays(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    for _ in 0..<5 { await run.rig.step() }
    let memory = await run.rig.device.memory
    await run.rig.device.unsubscribe(run.stream)
    let other = try await Self.rig(after: memory) { search.setByHand(&$0) }
    let settings = try #require(await other.device.knownSettings())
    #expect(search.isByHand(settings), "\(settings)")
    #expect(try await other.camera.values(of: [search.control]) != [search.on])
    #expect(await other.device.memory.software == nil)
  }

  @Test func whatAClientDoesNotSetBeforeThatIsGivenBack() async throws {
    let run = try await DarkRun(.focus)
    _ = try await run.rig.set(TakeOver.focus.ask)
    for _ in 0..<5 { await run.rig.step() }
    let memory = await run.rig.device.memory
    await run.rig.device.unsubscribe(run.stream)
    let other = try await Self.rig(after: memory) { TakeOver.exposure.setByHand(&$0) }
    let settings = try #require(await other.device.knownSettings())
    #expect(TakeOver.focus.isOn(settings) && TakeOver.exposure.isByHand(settings), "\(settings)")
    #expect(await other.device.memory.software == nil)
  }

  /// A node that begins anew with a memory, and has begun when a client's change, which came first, is done.
  private static func rig(after memory: CameraMemory, _ body: (inout SettingsChange) -> Void) async throws
    -> StagedRig
  {
    var change = SettingsChange()
    body(&change)
    let rig = try await StagedRig(PhysicsOptions())
    let device = rig.device
    await device.recall(memory)
    await rig.unplug()
    await device.gates.settings.enterToCleanUp()
    let client = Task { [change] in try await device.set(change) }
    await eventually("the client is next") { await device.gates.settings.waitingCount == 1 }
    rig.provider.plug(rig.camera)
    await eventually("what is kept of the camera waits") { await device.gates.settings.waitingCount >= 3 }
    await device.gates.settings.leave()
    _ = try await client.value
    await device.gates.settings.enterToCleanUp()
    await device.gates.settings.leave()
    return rig
  }

  /// The camera's return is no reason to end the search.
  @Test(arguments: TakeOver.allCases)
  func aSearchGoesOnWhenTheCameraReturns(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    await run.rig.device.unsubscribe(run.stream)
    let memory = await run.rig.device.memory
    await run.rig.restart(with: memory)
    await eventually("it is there, and has its settings") {
      (try? await run.rig.device.settings()) != nil && run.rig.software.isIdle
    }
    #expect(try await !search.isOn(run.rig.device.settings()))
    let next = try await run.rig.stream()
    await run.runUntilItFails()
    #expect(search.isOn(try await run.settings))
    await run.rig.device.unsubscribe(next)
  }

  /// What is found is what somebody wanted.
  @Test func whatIsFoundStaysLocked() async throws {
    let run = try await DarkRun(.greyWorld, light: 0)
    _ = try await run.rig.set(TakeOver.greyWorld.ask)
    let count = await run.rig.steps(400) { $0.whiteBalance?.mode == .locked && !run.rig.software.wantsFrames }
    #expect(count < 400)
    let after = try await run.settings
    #expect(after.whiteBalance?.failure == nil)
    #expect(try await !run.isSwitchedOn)
    #expect(await run.kept == .integer(0))
    #expect(await run.rig.device.memory.software == nil)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// The second search takes nothing over from the camera, but from the first one.
  @Test(arguments: TakeOver.allCases)
  func theNextSearchGivesItBackToo(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    for _ in 0..<5 { await run.rig.step() }
    _ = try await run.rig.set(search.ask)
    await run.runUntilItFails()
    #expect(search.isOn(try await run.settings))
    #expect(try await run.isSwitchedOn)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// The search waits for the next stream, and the camera's own mode with it.
  @Test(arguments: TakeOver.allCases)
  func aSearchGoesOnWithTheNextStream(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    _ = try await run.rig.set(search.ask)
    for _ in 0..<5 { await run.rig.step() }
    await run.rig.device.unsubscribe(run.stream)
    #expect(!search.isOn(try await run.settings))
    let next = try await run.rig.stream()
    await run.runUntilItFails()
    #expect(search.isOn(try await run.settings))
    #expect(try await run.isSwitchedOn)
    await run.rig.device.unsubscribe(next)
  }

  // MARK: Refusals

  @Test(arguments: [1, 4], TakeOver.allCases)
  func aModeThatIsRefusedForAWhileIsOnLater(times: Int, search: TakeOver) async throws {
    let run = try await DarkRun(search)
    run.refuse(times: times)
    _ = try await run.rig.set(search.ask)
    await run.runUntilItFails()
    #expect(search.isOn(try await run.settings))
    #expect(try await run.isSwitchedOn)
    #expect(run.rig.told(.controlNotRestored).isEmpty)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// It is told once. It is kept all the same: the camera gets it when it returns.
  @Test(arguments: TakeOver.allCases)
  func aModeThatIsRefusedForEverIsToldOnce(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    run.refuse()
    _ = try await run.rig.set(search.ask)
    await run.runUntilItFails()
    for _ in 0..<70 { await run.rig.step() }
    let told = run.rig.told(.controlNotRestored)
    #expect(told.count == 1, "\(told)")
    let text = "the \(search.nameOfMode) mode should be continuous again after a search, but is "
    #expect(told.first?.hasPrefix(text) == true, "\(told)")
    #expect(search.isByHand(try await run.settings))
    #expect(await run.kept == search.on)
    await run.rig.device.unsubscribe(run.stream)
  }

  @Test(arguments: TakeOver.allCases)
  func whatAClientSetsMeanwhileStays(search: TakeOver) async throws {
    let run = try await DarkRun(search)
    run.refuse()
    _ = try await run.rig.set(search.ask)
    let count = await run.rig.steps(1200) { search.failure($0) != nil && run.rig.camera.refusals >= 2 }
    #expect(count < 1200)
    _ = try await run.rig.set(search.setByHand)
    #expect(!run.rig.software.wantsFrames)
    run.rig.camera.refuse(nil)
    _ = run.rig.camera.takeAssignments()
    for _ in 0..<70 { await run.rig.step() }
    #expect(run.rig.camera.takeAssignments().isEmpty)
    #expect(search.isByHand(try await run.settings))
    #expect(try await !run.isSwitchedOn)
    await run.rig.device.unsubscribe(run.stream)
  }

  /// The camera refuses the steps of the search.
  @Test func aSearchThatIsGivenUpGivesItBackToo() async throws {
    let run = try await DarkRun(.focus, light: 0)
    run.rig.camera.refuse(StagedCamera.refused, of: .focusAbsolute)
    _ = try await run.rig.set(TakeOver.focus.ask)
    await run.runUntilItFails()
    let after = try await run.settings
    #expect(TakeOver.focus.isOn(after) && after.focus?.failure?.contains("out of range") == true)
    #expect(try await run.isSwitchedOn)
    #expect(await run.kept == run.search.on)
    let told = run.rig.told(.automationEnded)
    #expect(told.count == 1 && told[0].hasPrefix("the camera's own automatic modes are on again"), "\(told)")
    await run.rig.device.unsubscribe(run.stream)
  }

  /// It shone in the dark until then.
  @Test func anAutomaticTorchGoesOutAsWell() async throws {
    let run = try await DarkRun(.focus, light: -10)
    _ = try await run.rig.set { $0.torch = .init(mode: .auto) }
    #expect(await run.rig.steps(60) { $0.torch?.isActive == true } < 60)
    run.rig.camera.refuse(StagedCamera.refused, of: .focusAbsolute)
    _ = try await run.rig.set(TakeOver.focus.ask)
    await run.runUntilItFails()
    await eventually("it goes out") {
      (try? await run.rig.camera.values(of: [.flashLEDMode])) == [.integer(0)]
    }
    #expect(TakeOver.focus.isOn(try await run.settings))
    await run.rig.device.unsubscribe(run.stream)
  }

  // MARK: What the camera's mode leaves free

  /// A webcam whose gain is free in every mode: the search raises it in the dark.
  @Test func aValueThatTheModeLeavesFreeIsAsItWas() async throws {
    let camera = SettingsFaultTests.webcam()
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let software = try #require(await device.run { $0.settings.automation.software })
    let stream = try await device.subscribe(.rawVGA, sink: NobodySink(), holder: "test")
    _ = try await device.set([NamedAssignment(name: "gain", value: .literal("40"))], clamping: false)
    var change = SettingsChange()
    change.exposure.mode = .continuous
    #expect(try await device.set(change).settings.exposure?.isSoftware == false)
    change.exposure = .init(mode: .auto)
    _ = try await device.set(change)
    #expect(camera.state.withLock { $0.current[.autoExposure] } == .integer(1))
    // Its luma, and a chroma without colour.
    let black = (0..<640 * 480 * 2).map { UInt8($0 % 2 == 0 ? 0 : 128) }
    var isHigher = false
    for _ in 0..<600 {
      let measured = software.measured + 1
      camera.emit(bytes: black)
      await eventually("it is measured, and what follows is set") {
        software.measured == measured && software.isIdle
      }
      isHigher = isHigher || camera.state.withLock { $0.current[SettingsFaultTests.gain] } != .integer(40)
      if !software.wantsFrames { break }
    }
    let after = try #require(await device.knownSettings()?.exposure)
    #expect(isHigher && after.failure != nil && after.mode == .continuous && !after.isSoftware, "\(after)")
    let values = camera.state.withLock(\.current)
    #expect(values[.autoExposure] == .integer(3) && values[SettingsFaultTests.gain] == .integer(40))
    await device.unsubscribe(stream)
    await engine.shutDown()
  }
}
