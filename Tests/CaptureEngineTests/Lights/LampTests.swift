import CaptureControls
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// An LED beside the camera, as torch and as flash; and what stays of lights.
@Suite struct LampTests {
  /// A camera without a torch of its own, and a lamp.
  private static func rig(_ lamp: TestLamp) async throws -> StagedRig {
    let rig = try await StagedRig(.manual(delay: 1, parts: [.lens]))
    await rig.device.installLamp(lamp)
    return rig
  }

  private static func level(_ lamp: TestLamp) -> Double { lamp.state.withLock { $0.level } }

  /// The levels for 0.5 and for 0.25 that a lamp with any level has, and one with three.
  @Test(arguments: [(nil, 0.5, 0.25), (3, 2.0 / 3, 1.0 / 3)] as [(Int?, Double, Double)])
  func itFollowsTheLightAsBrightAsAsked(_ steps: Int?, _ first: Double, _ second: Double) async throws {
    let lamp = TestLamp(steps: steps)
    let rig = try await Self.rig(lamp)
    let torch = try await rig.device.settingsDescription().torch
    #expect(torch?.modes == [.off, .on, .auto] && torch?.source == "LED test")
    let stream = try await rig.stream()
    rig.camera.changeWorld { $0.light = -10 }
    let set = try await rig.set { $0.torch = .init(mode: .auto, level: 0.5) }
    #expect(set.torch?.mode == .auto && Self.level(lamp) == 0)
    #expect(await rig.steps(60) { $0.torch?.isActive == true } < 60)
    #expect(Self.level(lamp) == first)
    #expect(try await rig.set { $0.torch = .init(level: 0.25) }.torch?.mode == .auto)
    #expect(Self.level(lamp) == second)
    #expect(await rig.device.memory.lamp == LampMemory(level: 0, brightness: second))
    await rig.device.unsubscribe(stream)
    await eventually("it goes out with the stream") { Self.level(lamp) == 0 }
    await #expect(throws: CaptureError.self) {
      try await rig.set { $0.torch = .init(mode: .auto, level: 0) }
    }
  }

  /// A stream in the dark, which the lamp lights by itself.
  private static func litByItself(_ lamp: TestLamp) async throws -> (StagedRig, FrameSubscription) {
    let rig = try await Self.rig(lamp)
    let stream = try await rig.stream()
    rig.camera.changeWorld { $0.light = -10 }
    _ = try await rig.set { $0.torch = .init(mode: .auto) }
    _ = await rig.steps(60) { $0.torch?.isActive == true }
    #expect(Self.level(lamp) == 1)
    return (rig, stream)
  }

  @Test func itGoesOutWithTheCameraThatItFollowed() async throws {
    let lamp = TestLamp()
    let (rig, stream) = try await Self.litByItself(lamp)
    rig.provider.unplug(rig.camera)
    await eventually("it goes out") { Self.level(lamp) == 0 }
    withExtendedLifetime(stream) {}
  }

  @Test(arguments: [false, true]) func whatDoesNotGoOutIsTold(_ isUnplugged: Bool) async throws {
    let lamp = TestLamp()
    let (rig, stream) = try await Self.litByItself(lamp)
    lamp.state.withLock { $0.isBroken = true }
    if isUnplugged { rig.provider.unplug(rig.camera) } else { await rig.device.unsubscribe(stream) }
    await eventually("it is told") {
      await rig.device.status().lastError == "the torch could not be switched off: it may not be set"
    }
    // Its level is still what it is.
    #expect(await rig.device.run { $0.settings.lights.lampLevel } == 1)
    withExtendedLifetime(stream) {}
  }

  /// A camera with frames, a lamp that is its flash, and a photo for which it is lit.
  private static func litPhoto() async throws -> (Device, TestLamp, Task<Picture, any Error>) {
    let device = try await engine(FakeCamera()).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    var change = SettingsChange()
    change.flash = .init(mode: .on)
    _ = try await device.set(change)
    _ = try await device.saveProfile("before", replaces: false)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    let photo = Task { try await device.capturePhoto(.rawVGA, requested: 0, progress: { _ in }) }
    await eventually("it is lit") { level(lamp) == 1 }
    return (device, lamp, photo)
  }

  @Test func whoDimsItMeanwhileHasItFromThere() async throws {
    let (device, lamp, photo) = try await Self.litPhoto()
    var change = SettingsChange()
    change.torch = .init(level: 0.5)
    _ = try await device.set(change)
    photo.cancel()
    _ = try? await photo.value
    #expect(Self.level(lamp) == 0.5)
  }

  @Test func profilesAndCalibrationsWaitForThePhoto() async throws {
    let (device, lamp, photo) = try await Self.litPhoto()
    let waiting = { (count: Int) in
      await eventually("\(count) wait") { await device.gates.flash.waitingCount == count }
    }
    let calibration = Task { try await device.calibrate { _ in } }
    await waiting(1)
    calibration.cancel()
    _ = try? await calibration.value
    let saving = Task { try await device.saveProfile("during", replaces: false) }
    await waiting(1)
    let loading = Task { try await device.loadProfile("before") }
    await waiting(2)
    #expect(Self.level(lamp) == 1)
    photo.cancel()
    _ = try await (saving.value, loading.value)
    #expect(await device.memory.profiles["during"]?.torchLevel == 0)
    #expect(Self.level(lamp) == 0)
  }

  @Test(arguments: [nil, 1, 3] as [Int?]) func itIsLitForPhotosAndLeftAsItWas(_ steps: Int?) async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let lamp = TestLamp(steps: steps)
    await device.installLamp(lamp)
    var change = SettingsChange()
    change.flash = .init(mode: .on)
    #expect(try await device.set(change).settings.flash?.mode == .on)
    change.flash?.level = 0.5
    await #expect(throws: CaptureError.self) { try await device.set(change) }
    let photo = Task {
      try await device.capturePhoto(.rawVGA, requested: 0, progress: { _ in })
    }
    await eventually("it is lit") { Self.level(lamp) == 1 }
    await eventually("the photo is taken and it is out") {
      camera.emit()
      return Self.level(lamp) == 0
    }
    #expect(try await photo.value.description.flash == .fired)
  }

  @Test func anAutomaticTorchGoesOnWhereTheNodeStartsAnew() async throws {
    let store = TestStore()
    func device() async throws -> Device {
      let engine = CaptureEngine(
        imaging: .standard, store: store, software: { SoftwareThreeA(of: $0) })
      await engine.attach(
        FakeProvider([StagedCamera(.manual(delay: 1), size: FrameSize(width: 160, height: 120))]))
      return try engine.device("0")
    }
    var change = SettingsChange()
    change.torch = .init(mode: .auto)
    _ = try await device().set(change)
    let next = try await device()
    await eventually("it is on again") { await next.knownSettings()?.torch?.mode == .auto }
    change.torch = .init(mode: .off)
    _ = try await next.set(change)
    // Nothing is kept that a later start could switch on, however long that takes.
    let kept = store.memory(of: next.id)
    #expect(kept.software == nil && kept.lamp == nil)
    #expect(kept.controls.entries.first { $0.id == .flashLEDMode }?.value == .integer(0))
    #expect(try await device().settings().torch?.mode == .off)
  }

  @Test func aProfileHasTheLights() async throws {
    let lamp = TestLamp()
    let rig = try await Self.rig(lamp)
    _ = try await rig.set { $0.flash = .init(mode: .auto) }
    _ = try await rig.device.saveProfile("flash", replaces: false)
    let stream = try await rig.stream()
    rig.camera.changeWorld { $0.light = -10 }
    _ = try await rig.set { $0.torch = .init(mode: .auto) }
    _ = await rig.steps(60) { $0.torch?.isActive == true }
    // Lit by the node just now: not by who saved it.
    _ = try await rig.device.saveProfile("torch", replaces: false)
    await rig.device.unsubscribe(stream)
    let flash = try await rig.device.loadProfile("flash").settings
    #expect(flash.flash?.mode == .auto && flash.torch?.mode == .off && !rig.software.wantsFrames)
    let torch = try await rig.device.loadProfile("torch").settings
    #expect(torch.torch?.mode == .auto && torch.torch?.isActive == false && torch.flash?.mode == .off)
    #expect(await rig.device.memory.flash == nil && Self.level(lamp) == 0)
    #expect(await rig.device.profiles().map { $0.settings?.torch?.mode } == [.off, .auto])
    await rig.device.installLamp(nil)
    let error = await refusal { _ = try await rig.device.loadProfile("torch") }
    #expect(error?.message.contains("an automatic torch") == true)
  }

  @Test func watchersHearOfTheFlashAndOfTheLight() async throws {
    let rig = try await Self.rig(TestLamp())
    let watch = try await rig.device.watchSettings(["flash.mode", "torch.mode"])
    _ = try await watch.next()
    _ = try await rig.set { $0.flash = .init(mode: .auto) }
    #expect(try await watch.next()?.keys == [.setting(.flashMode)])
    _ = try await rig.set { $0.torch = .init(mode: .on) }
    #expect(try await watch.next()?.keys == [.setting(.flashMode), .setting(.torchMode)])
  }

  @Test func lightsStayAsTheyWereSetWhereTheNodeStartsAnew() async throws {
    let (store, lamp) = (TestStore(), TestLamp())
    func device() async throws -> Device {
      let engine = CaptureEngine(imaging: .fake(), store: store)
      await engine.setUp(CameraID(rawValue: "fake-0")) { [lamp] in $0.torchLight = lamp }
      await engine.attach(FakeProvider([FakeCamera()]))
      return try engine.device("0")
    }
    var change = SettingsChange()
    change.torch = .init(mode: .on, level: 0.25)
    _ = try await device().set(change)
    // The machine started anew.
    lamp.state.withLock { $0.level = 0 }
    let next = try await device()
    await eventually("it is lit again") { Self.level(lamp) == 0.25 }
    change.torch = nil
    change.flash = .init(mode: .auto)
    #expect(try await next.set(change).settings.torch?.mode == .off)
    let last = try await device()
    #expect(try await last.settings().flash?.mode == .auto && Self.level(lamp) == 0)
    // Switched on without a level, it is as bright as it was.
    change.flash = nil
    change.torch = .init(mode: .on)
    #expect(try await last.set(change).settings.torch?.level?.value == 0.25)
  }

  // MARK: Few levels

  private static func torch(_ mode: LightMode? = nil, _ level: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.torch = .init(mode: mode, level: level)
    return change
  }

  private static func note(_ asked: Double, _ set: Double) -> ClampedValue {
    ClampedValue(name: "torch.level", asked: asked, set: set, step: 1.0 / 3)
  }

  @Test func whatIsSetIsToldAndNotWhatWasAskedFor() async throws {
    let lamp = TestLamp(steps: 3)
    let device = try await engine(FakeCamera()).device("0")
    await device.installLamp(lamp)
    func check(_ asked: Double, _ set: Double, isNoted: Bool) async throws {
      let outcome = try await device.set(Self.torch(.on, asked))
      #expect(Self.level(lamp) == set && outcome.settings.torch?.level == Observed(set, .reported))
      #expect(outcome.clamped == (isNoted ? [Self.note(asked, set)] : []))
      #expect(await device.memory.lamp == LampMemory(level: set, brightness: set))
    }
    try await check(0.25, 1.0 / 3, isNoted: true)
    try await check(0.5, 2.0 / 3, isNoted: true)
    // It is to be on.
    try await check(0.01, 1.0 / 3, isNoted: true)
    try await check(0.66, 2.0 / 3, isNoted: false)
    try await check(1.0 / 3, 1.0 / 3, isNoted: false)
    try await check(1, 1, isNoted: false)
    let above = try await device.set(Self.torch(.on, 2), clamping: true)
    #expect(above.clamped == [ClampedValue(name: "torch.level", asked: 2, set: 1, step: 0)])
    // While it is off, its level is for the next time.
    let off = try await device.set(Self.torch(.off, 0.25))
    #expect(off.clamped == [Self.note(0.25, 1.0 / 3)] && Self.level(lamp) == 0)
    let on = try await device.set(Self.torch(.on))
    #expect(on.clamped.isEmpty && on.settings.torch?.level?.value == 1.0 / 3)
  }

  @Test func aLampWithoutLevelsRefusesOneAsADriverDoes() async throws {
    let camera = FakeCamera()
    let items = ["Off", "Flash", "Torch"].enumerated().map { index, name in
      ControlDescription.MenuItem(index: Int64(index), content: .name(name))
    }
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: 2, menu: items)
      ]
    }
    let driver = try await engine(camera).device("0")
    #expect(try await driver.settingsDescription().torch?.hasLevel == false)
    let lamp = TestLamp(steps: 1)
    let device = try await engine(FakeCamera()).device("0")
    await device.installLamp(lamp)
    #expect(try await device.settingsDescription().torch?.hasLevel == false)
    for change in [Self.torch(.on, 0.3), Self.torch(nil, 0.3)] {
      for clamping in [false, true] {
        let expected = await refusal { _ = try await driver.set(change, clamping: clamping) }
        let error = await refusal { _ = try await device.set(change, clamping: clamping) }
        #expect(expected?.details?.reason == .notSupported && error == expected)
      }
    }
    #expect(Self.level(lamp) == 0)
    for (level, mode) in [(1.0, LightMode.on), (0, .off)] {
      let outcome = try await device.set(Self.torch(nil, level))
      #expect(outcome.settings.torch?.mode == mode && outcome.clamped.isEmpty && Self.level(lamp) == level)
    }
  }

  @Test(arguments: [(3, 1.0 / 3), (1, 1)] as [(Int, Double)])
  func whatAnotherLampHadIsRoundedWhereTheNodeStartsAnew(_ steps: Int, _ level: Double) async throws {
    let store = TestStore()
    func device(_ lamp: TestLamp) async throws -> Device {
      let engine = CaptureEngine(imaging: .fake(), store: store)
      await engine.setUp(CameraID(rawValue: "fake-0")) { $0.torchLight = lamp }
      await engine.attach(FakeProvider([FakeCamera()]))
      return try engine.device("0")
    }
    _ = try await device(TestLamp()).set(Self.torch(.on, 0.25))
    let lamp = TestLamp(steps: steps)
    let next = try await device(lamp)
    await eventually("it is lit") { Self.level(lamp) == level }
    #expect(try await next.settings().torch?.level?.value == level)
    _ = try await next.set(Self.torch(.off))
    #expect(try await next.set(Self.torch(.on)).settings.torch?.level?.value == level)
  }

  @Test func aProfileOfAnotherLampIsRoundedAndOnesOwnIsNot() async throws {
    let rig = try await Self.rig(TestLamp())
    let device = rig.device
    _ = try await device.set(Self.torch(.on, 0.25))
    _ = try await device.saveProfile("other", replaces: false)
    let lamp = TestLamp(steps: 3)
    await device.installLamp(lamp)
    for (name, notes) in [("other", [Self.note(0.25, 1.0 / 3)]), ("own", [])] {
      _ = try await device.set(Self.torch(.off))
      let loaded = try await device.loadProfile(name)
      #expect(loaded.clamped == notes && loaded.settings.torch?.level?.value == 1.0 / 3)
      #expect(Self.level(lamp) == 1.0 / 3)
      _ = try await device.saveProfile("own", replaces: true)
    }
    #expect(await device.memory.profiles["own"]?.torchLevel == 1.0 / 3)
  }
}
