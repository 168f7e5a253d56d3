import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A torch that follows the light, on a camera whose truth is known.
@Suite struct TorchAutoTests {
  private static func automatic(_ level: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.torch = .init(mode: .auto, level: level)
    return change
  }

  /// The numbers of the frames, from 1, at which the torch was switched, among so many frames.
  private static func switches(_ rig: StagedRig, _ count: Int) async -> [Int] {
    var found: [Int] = []
    _ = rig.camera.takeAssignments()
    for frame in 1...count {
      await rig.step()
      if rig.camera.takeAssignments().contains(where: { $0.id == .flashLEDMode }) { found.append(frame) }
    }
    return found
  }

  private static func isLit(_ rig: StagedRig) -> Bool { (rig.camera.truth.latest?.torch ?? 0) > 0 }

  @Test func everyTorchThatCanBeSwitchedHasItByTheNode() async throws {
    let rig = try await StagedRig()
    let torch = try await rig.device.settingsDescription().torch
    #expect(torch?.modes == [.off, .on, .auto] && torch?.softwareModes == [.auto])
    let set = try await rig.device.set(Self.automatic()).settings.torch
    #expect(set?.mode == .auto && set?.isSoftware == true && set?.isActive == false)
    let off = try await rig.set { $0.torch = .init(mode: .off) }.torch
    #expect(off?.mode == .off && off?.isSoftware == false && !rig.software.wantsFrames)
  }

  /// Exposed by hand, by the node, by the camera; the last with and without saying how.
  enum Exposing: CaseIterable { case byHand, byNode, byCamera, silently }

  @Test(arguments: Exposing.allCases)
  func itIsOnInTheDarkAndOffInTheLightWithoutHunting(_ exposing: Exposing) async throws {
    var options = PhysicsOptions.manual(delay: 1)
    if exposing == .byCamera || exposing == .silently { options.automation = .exposure }
    options.reportsAutomaticValues = exposing != .silently
    let rig = try await StagedRig(options)
    rig.camera.changeWorld { $0.light = 0 }
    let stream = try await rig.stream()
    if exposing == .byNode { _ = try await rig.set { $0.exposure.mode = .continuous } }
    if exposing == .byHand { _ = try await rig.set { $0.exposure.duration = 0.02 } }
    for _ in 0..<30 { await rig.step() }
    _ = try await rig.device.set(Self.automatic())
    #expect(await Self.switches(rig, 60).isEmpty)
    // What is dark for a camera lies some stops below: its gain and its longest exposure are for less.
    rig.camera.changeWorld { $0.light = -10 }
    let on = await Self.switches(rig, 60)
    #expect(on.count == 1 && Self.isLit(rig), "\(exposing): \(on)")
    #expect(await rig.device.knownSettings()?.torch?.isActive == true)
    #expect(await rig.device.knownSettings()?.torch?.mode == .auto)
    // Its own light does not put it out.
    #expect(await Self.switches(rig, 400).isEmpty, "\(exposing)")
    // On a camera that exposes by itself only a sudden light shows.
    let isTold = exposing == .byHand || exposing == .byNode
    rig.camera.changeWorld { $0.light = isTold ? 1 : 4 }
    let off = await Self.switches(rig, 60)
    #expect(off.count == 1 && !Self.isLit(rig), "\(exposing): \(off)")
    #expect(await Self.switches(rig, 200).isEmpty, "\(exposing)")
    await rig.device.unsubscribe(stream)
  }

  @Test func itShinesAsBrightAsAskedAndOnlyWhileAStreamRuns() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = -10 }
    _ = try await rig.device.set(Self.automatic(0.5))
    let stream = try await rig.stream()
    _ = await rig.steps(60) { $0.torch?.isActive == true }
    for _ in 0..<4 { await rig.step() }
    #expect(abs((rig.camera.truth.latest?.torch ?? 0) - 0.5) < 0.02)
    await rig.device.unsubscribe(stream)
    await eventually("it goes out with the stream") {
      await rig.device.knownSettings()?.torch?.isActive == false
    }
    #expect(await rig.device.knownSettings()?.torch?.mode == .auto)
    let values = try await rig.camera.values(of: [.flashLEDMode])
    #expect(values == [.integer(0)])
    // The next one goes on with it.
    let next = try await rig.stream()
    #expect(await rig.steps(60) { $0.torch?.isActive == true } < 60)
    await rig.device.unsubscribe(next)
  }

  /// A torch whose driver takes its time, and whose pictures show nothing.
  private static func slowTorch() async throws -> (FakeCamera, Device) {
    let camera = FakeCamera(formats: [FakeCamera.format(.rggb8, ["640x480": [30]])])
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: 2,
          menu: ["Off", "Flash", "Torch"].enumerated().map { index, name in
            .init(index: Int64(index), content: .name(name))
          })
      ]
    }
    let engine = CaptureEngine(imaging: .standard, software: { SoftwareThreeA(of: $0) })
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    _ = try await device.set(automatic())
    return (camera, device)
  }

  private static func view(_ device: Device) async throws -> FrameSubscription {
    try await device.subscribe(VideoRequest(encoding: .raw), sink: TestSink(), holder: "1")
  }

  private static func ledMode(_ camera: FakeCamera) -> ControlValue? {
    camera.state.withLock(\.current)[.flashLEDMode]
  }

  private static var on: SettingsChange {
    var change = SettingsChange()
    change.torch = .init(mode: .on)
    return change
  }

  @Test func itGoesOutAlsoWhereItIsBeingLitAsTheStreamEnds() async throws {
    let (camera, device) = try await Self.slowTorch()
    let stream = try await Self.view(device)
    camera.state.withLock { $0.holdsSetting = true }
    let lighting = Task { try await device.applyAutomation { Self.on } }
    await eventually("it is being lit") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    await device.unsubscribe(stream)
    camera.releaseSetting()
    _ = try await lighting.value
    await eventually("it goes out") { Self.ledMode(camera) == .integer(0) }
  }

  @Test func whoSwitchesItOnAsTheStreamEndsKeepsIt() async throws {
    let (camera, device) = try await Self.slowTorch()
    let stream = try await Self.view(device)
    _ = try await device.applyAutomation { Self.on }
    #expect(Self.ledMode(camera) == .integer(2))
    await device.gates.settings.enterToCleanUp()
    let client = Task { try await device.set(Self.on) }
    await eventually("the client is next") { await device.gates.settings.waitingCount == 1 }
    // Not in this task, which holds up those who set something.
    await Task { await device.unsubscribe(stream) }.value
    await eventually("the stream has ended") { await device.gates.settings.waitingCount == 2 }
    await device.gates.settings.leave()
    _ = try await client.value
    await device.gates.settings.enterToCleanUp()
    #expect(Self.ledMode(camera) == .integer(2))
    await device.gates.settings.leave()
  }

  @Test func itEndsWhereNothingCanBeSeen() async throws {
    let (camera, device) = try await Self.slowTorch()
    let stream = try await Self.view(device)
    _ = try await device.applyAutomation { Self.on }
    camera.emit()
    await eventually("it goes out") { Self.ledMode(camera) == .integer(0) }
    await eventually("it is known") { await device.knownSettings()?.torch?.mode == .off }
    #expect(await device.status().lastError.contains("the torch is no longer automatic: "))
    await device.unsubscribe(stream)
  }

  @Test func itGoesOutWithTheNode() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = -10 }
    _ = try await rig.device.set(Self.automatic())
    let stream = try await rig.stream()
    _ = await rig.steps(60) { $0.torch?.isActive == true }
    #expect(try await rig.camera.values(of: [.flashLEDMode]) == [.integer(2)])
    await rig.engine.shutDown()
    #expect(try await rig.camera.values(of: [.flashLEDMode]) == [.integer(0)])
    withExtendedLifetime(stream) {}
  }

  @Test func itGoesOnWhenTheCameraReturns() async throws {
    let rig = try await StagedRig()
    rig.camera.changeWorld { $0.light = -10 }
    _ = try await rig.device.set(Self.automatic())
    await rig.unplug()
    _ = try await rig.software.set(.release)
    rig.provider.plug(rig.camera)
    await eventually("it is on again") { await rig.device.knownSettings()?.torch?.mode == .auto }
    let stream = try await rig.stream()
    #expect(await rig.steps(60) { $0.torch?.isActive == true } < 60)
    // What the node set is not what clients left.
    #expect(await rig.device.memory.controls.entries.first { $0.id == .flashLEDMode }?.value == .integer(0))
    await rig.device.unsubscribe(stream)
  }

  @Test func whoeverSwitchesTheTorchEndsIt() async throws {
    let rig = try await StagedRig()
    _ = try await rig.device.set(Self.automatic())
    #expect(try await rig.set { $0.torch = .init(mode: .on) }.torch?.mode == .on)
    #expect(!rig.software.wantsFrames)
    let automatic = try await rig.device.set(Self.automatic()).settings
    #expect(automatic.torch?.mode == .auto && automatic.torch?.isActive == false)
    _ = try await rig.device.set(
      [NamedAssignment(name: "led_mode", value: .value(.integer(2)))], clamping: false)
    #expect(await rig.device.knownSettings()?.torch?.mode == .on && !rig.software.wantsFrames)
    #expect(await rig.device.memory.software == nil)
  }

  @Test func aSessionThatLeavesTheCameraKeepsTheMode() async throws {
    let rig = try await StagedRig()
    _ = try await rig.device.set(Self.automatic())
    try await rig.device.switchTorchOff()
    #expect(await rig.device.knownSettings()?.torch?.mode == .auto)
  }
}
