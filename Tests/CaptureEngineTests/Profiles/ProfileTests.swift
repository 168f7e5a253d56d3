import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct ProfileTests {
  private static let automatic = ControlDescription(
    id: ControlID(rawValue: 3), name: "auto", label: "Auto", type: .boolean, maximum: 1)
  private static let exposure = ControlDescription(
    id: ControlID(rawValue: 1), name: "exposure", label: "Exposure", type: .integer, maximum: 255)
  private static let brightness = ControlDescription(
    id: ControlID(rawValue: 2), name: "brightness", label: "Brightness", type: .integer, maximum: 255)
  private static let reset = ControlDescription(
    id: ControlID(rawValue: 4), name: "reset", label: "Reset", type: .button)

  private func camera() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock {
      $0.controls = [Self.exposure, Self.brightness, Self.automatic, Self.reset]
      $0.values = [
        Self.exposure.id: .integer(10), Self.brightness.id: .integer(20), Self.automatic.id: .integer(0),
      ]
    }
    return camera
  }

  private func set(_ name: String, _ value: Int64, _ device: Device) async throws {
    _ = try await device.set([NamedAssignment(name: name, value: .value(.integer(value)))], clamping: false)
  }

  private func failure(_ body: () async throws -> Void) async -> CaptureError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? CaptureError
    }
  }

  @Test func whatWasSavedIsSetAgainWithModesAheadOfValues() async throws {
    let camera = camera()
    let device = try await engine(camera).device("0")
    let saved = try await device.saveProfile("night", replaces: false)
    #expect(saved.controls == 3)
    for (name, value) in [("exposure", Int64(1)), ("brightness", 2), ("auto", 1)] {
      try await set(name, value, device)
    }
    camera.state.withLock { $0.assignments = [] }
    _ = try await device.loadProfile("night")
    #expect(
      camera.state.withLock { $0.assignments } == [
        ControlAssignment(Self.automatic.id, .integer(0)), ControlAssignment(Self.exposure.id, .integer(10)),
        ControlAssignment(Self.brightness.id, .integer(20)),
      ])
    #expect(await device.profiles().map(\.name) == ["night"])
    try await device.deleteProfile("night")
    #expect(await device.profiles().isEmpty)
  }

  @Test func aProfileThatFailsSetsNothing() async throws {
    let camera = camera()
    let device = try await engine(camera).device("0")
    _ = try await device.saveProfile("night", replaces: false)
    try await set("exposure", 1, device)
    camera.state.withLock { $0.brokenControls = [Self.brightness.id] }
    #expect(await failure { _ = try await device.loadProfile("night") }?.code == .unavailable)
    #expect(camera.state.withLock { $0.values[Self.exposure.id] } == .integer(1))
    let text = await failure { _ = try await device.loadProfile("day") }?.message
    #expect(text == "'fake-0' has no profile 'day'; there are: 'night'")
  }

  private static let focus = ControlDescription(
    id: ControlID(rawValue: 5), name: "focus", label: "Focus", type: .integer, maximum: 250, step: 5)
  private static let scene = ControlDescription(
    id: ControlID(rawValue: 6), name: "scene", label: "Scene", type: .menu, maximum: 3,
    menu: [1, 3].map { ControlDescription.MenuItem(index: $0, content: .name("scene \($0)")) })

  @Test func whatNoControlTakesIsSavedAsTheNearestValueOrLeftOut() async throws {
    let camera = camera()
    camera.state.withLock { state in
      state.controls += [Self.focus, Self.scene]
      state.values[Self.focus.id] = .integer(51)
      state.values[Self.brightness.id] = .integer(-7)
      state.values[Self.scene.id] = .integer(2)
    }
    let device = try await engine(camera).device("0")
    let saved = try await device.saveProfile("night", replaces: false)
    #expect(saved.controls == 4, "all but the item that there is not")
    _ = try await device.loadProfile("night")
    let set = camera.state.withLock(\.assignments)
    #expect(set.contains(ControlAssignment(Self.focus.id, .integer(50))))
    #expect(set.contains(ControlAssignment(Self.brightness.id, .integer(0))))
    #expect(!set.contains { $0.id == Self.scene.id })
  }

  @Test func anEarlierNodesProfileIsRoundedButNotClamped() async throws {
    let camera = camera()
    camera.state.withLock { $0.controls.append(Self.focus) }
    let device = try await engine(camera).device("0")
    var memory = CameraMemory()
    for (name, value) in [("between", Int64(51)), ("beyond", 255)] {
      var profile = CameraProfile()
      profile.controls.note(Self.focus, .integer(value))
      memory.profiles[name] = profile
    }
    await device.recall(memory)
    _ = try await device.loadProfile("between")
    #expect(camera.state.withLock { $0.values[Self.focus.id] } == .integer(50))
    let refusal = await failure { _ = try await device.loadProfile("beyond") }
    #expect(refusal?.details?.reason == .profileOutdated)
    #expect(camera.state.withLock { $0.values[Self.focus.id] } == .integer(50))
  }

  @Test func theNodesOwnModesAreInAProfile() async throws {
    let rig = try await StagedRig()
    let bounds = SettingsChange.FrameDuration(minimum: FrameInterval(numerator: 1, denominator: 30))
    let point = try NormalizedPoint(x: 0.25, y: 0.75)
    _ = try await rig.set { change in
      change.focus = .init(mode: .continuous, point: point, range: .near)
      change.exposure = .init(mode: .continuous, bias: 1)
      change.frameDuration = bounds
    }
    _ = try await rig.device.saveProfile("automatic", replaces: false)
    _ = try await rig.set { change in
      change.focus = .init(point: .center, lensPosition: 0.5, range: FocusRange.none)
      change.exposure = .init(duration: 0.005, bias: 0)
      change.whiteBalance.mode = .continuous
      change.frameDuration = .init()
    }
    _ = try await rig.device.saveProfile("by-hand", replaces: false)

    let automatic = try await rig.device.loadProfile("automatic").settings
    #expect(automatic.focus?.mode == .continuous && automatic.focus?.isSoftware == true)
    #expect(automatic.focus?.point == point && automatic.focus?.range == .near)
    #expect(automatic.exposure?.mode == .continuous && automatic.exposure?.bias == 1)
    #expect(automatic.whiteBalance?.isSoftware == false && automatic.frameDuration == bounds)
    #expect(rig.software.wantsFrames)

    let byHand = try await rig.device.loadProfile("by-hand").settings
    #expect(byHand.focus?.mode == .locked && byHand.focus?.isSoftware == false)
    #expect(byHand.focus?.point == .center && byHand.focus?.range == FocusRange.none)
    #expect(abs((byHand.focus?.lensPosition?.value ?? 9) - 0.5) < 0.01)
    #expect(abs((byHand.exposure?.duration?.value ?? 9) - 0.005) < 0.0002)
    #expect(byHand.exposure?.isSoftware == false && byHand.frameDuration == SettingsChange.FrameDuration())
    #expect(byHand.whiteBalance?.mode == .continuous && byHand.whiteBalance?.isSoftware == true)
    let saved = await rig.device.profiles().first { $0.name == "automatic" }?.settings
    #expect(saved?.focus?.point == point && saved?.exposure?.bias == 1 && saved?.frameDuration == bounds)
  }

  @Test func aProfileHasTheNodesZoom() async throws {
    let device = try await engine(FakeCamera(), imaging: .standard).device("0")
    func zoom(_ factor: Double) async throws -> Double? {
      var change = SettingsChange()
      change.zoom = .init(factor: factor)
      return try await device.set(change).settings.zoom?.factor.value
    }
    #expect(try await zoom(3) == 3)
    let saved = try await device.saveProfile("near", replaces: false)
    #expect(saved.settings?.zoom?.factor.value == 3)
    #expect(try await zoom(1) == 1)
    #expect(try await device.loadProfile("near").settings.zoom?.factor.value == 3)
  }

  @Test func aProfileNamesWhatTheCameraHasNoLonger() async throws {
    let camera = camera()
    let device = try await engine(camera).device("0")
    var settings = CameraSettings()
    settings.focus = .init(mode: .continuous)
    settings.focus?.isSoftware = true
    var abilities = SoftwareAbilities()
    abilities.hasFocusPoint = true
    var profile = CameraProfile()
    profile.software = .init(settings, abilities)
    profile.torchLevel = 1
    var memory = CameraMemory()
    memory.profiles["night"] = profile
    await device.recall(memory)
    let refusal = await failure { _ = try await device.loadProfile("night") }
    #expect(refusal?.code == .failedPrecondition)
    let text = "has focus by the node, a lamp as its torch, which 'fake-0' no longer has"
    #expect(refusal?.message.contains(text) == true)
    #expect(camera.state.withLock(\.assignments).isEmpty)
  }

  @Test func namesAreCheckedAndProfilesNotWrittenOverUnasked() async throws {
    let device = try await engine(camera()).device("0")
    for name in ["", "a b", "ü", "../x", String(repeating: "a", count: 65)] {
      #expect(
        await failure { _ = try await device.saveProfile(name, replaces: false) }?.code == .invalidArgument)
    }
    _ = try await device.saveProfile("a.b-c_1", replaces: false)
    #expect(
      await failure { _ = try await device.saveProfile("a.b-c_1", replaces: false) }?.code == .alreadyExists)
    _ = try await device.saveProfile("a.b-c_1", replaces: true)
    #expect(await failure { try await device.deleteProfile("x") }?.code == .notFound)
  }

  // MARK: A full disk

  /// A camera with the profile "night", whose store waits from now on.
  private func held() async throws -> (device: Device, store: TestStore) {
    let store = TestStore()
    let engine = CaptureEngine(imaging: .fake(), store: store)
    await engine.attach(FakeProvider([camera()]))
    let device = try engine.device("0")
    _ = try await device.saveProfile("night", replaces: false)
    store.writes.hold()
    return (device, store)
  }

  /// Ends the write that waits, once one does, as on a full disk.
  private func refuseWrite(_ store: TestStore) async {
    await eventually("one waits for the disk") { store.writes.waitingCount == 1 }
    store.writes.endFirst(fails: true)
  }

  @Test func twoRefusedChangesOfAProfileLeaveIt() async throws {
    let (device, store) = try await held()
    let before = store.memory(of: device.id).profiles
    try await set("brightness", 30, device)
    let saving = Task { await failure { _ = try await device.saveProfile("night", replaces: true) } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let deleting = Task { await failure { try await device.deleteProfile("night") } }
    await eventually("its turn comes later") { await device.gates.storing.waitingCount == 1 }
    await refuseWrite(store)
    #expect(await saving.value?.code == .unavailable)
    await refuseWrite(store)
    #expect(await deleting.value?.code == .unavailable)
    #expect(store.memory(of: device.id).profiles == before && before.count == 1)
    _ = try await device.loadProfile("night")
    #expect(try await device.readings(of: ["brightness"]).first?.value == .integer(20))
  }

  @Test func aProfileWhoseDeletingIsRefusedIsNotWrittenOverUnasked() async throws {
    let (device, store) = try await held()
    let before = store.memory(of: device.id).profiles
    try await set("brightness", 30, device)
    let deleting = Task { await failure { try await device.deleteProfile("night") } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let saving = Task { await failure { _ = try await device.saveProfile("night", replaces: false) } }
    await eventually("its turn comes later") { await device.gates.storing.waitingCount == 1 }
    await refuseWrite(store)
    #expect(await deleting.value?.code == .unavailable)
    #expect(await saving.value?.code == .alreadyExists)
    #expect(store.memory(of: device.id).profiles == before)
  }

  @Test func untilTheDiskHasAChangeAProfileIsAsItWas() async throws {
    let (device, store) = try await held()
    try await set("brightness", 30, device)
    let replacing = Task { await failure { _ = try await device.saveProfile("night", replaces: true) } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    _ = try await device.loadProfile("night")
    #expect(try await device.readings(of: ["brightness"]).first?.value == .integer(20))
    await refuseWrite(store)
    #expect(await replacing.value?.code == .unavailable)

    let saving = Task { await failure { _ = try await device.saveProfile("day", replaces: false) } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    #expect(await device.profiles().map(\.name) == ["night"])
    let tooEarly = await failure { _ = try await device.loadProfile("day") }
    #expect(tooEarly?.code == .notFound && tooEarly?.details?.possible == ["night"])
    store.writes.endFirst(fails: false)
    #expect(await saving.value == nil)
    _ = try await device.loadProfile("day")

    let deleting = Task { await failure { try await device.deleteProfile("night") } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    _ = try await device.loadProfile("night")
    store.writes.endFirst(fails: false)
    #expect(await deleting.value == nil)
    #expect(await device.profiles().map(\.name) == ["day"])
  }
}
