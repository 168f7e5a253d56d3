import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A change whose bounds the stream does not start with, and what happens until that is known.
@Suite(.timeLimit(.minutes(1))) struct RevokedChangeTests {
  private static let zoom = ControlID.zoomAbsolute
  private static let brightness = ControlID.brightness
  private static let refused = CaptureError(.resourceExhausted, "no bandwidth")

  /// A camera that streams, with a lamp.
  private struct Rig {
    let camera: FakeCamera
    let lamp = TestLamp()
    let engine: CaptureEngine
    let device: Device

    /// Without controls, the zoom is the node's.
    init(streams: Bool = true, hasControls: Bool = true, hasDriver: Bool = false) async throws {
      camera = FakeCamera(hasDriver: hasDriver)
      camera.state.withLock {
        guard hasControls else { return }
        $0.controls = [
          ControlDescription(
            id: RevokedChangeTests.brightness, name: "brightness", label: "Brightness", type: .integer,
            maximum: 255,
            defaultValue: 10),
          ControlDescription(
            id: RevokedChangeTests.zoom, name: "zoom_absolute", label: "Zoom", type: .integer, minimum: 100,
            maximum: 400,
            defaultValue: 100),
        ]
      }
      engine = await CaptureEngineTests.engine(camera)
      device = try engine.device("0")
      await device.installLamp(lamp)
      if streams { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    }

    func set(_ body: (inout SettingsChange) -> Void) async throws {
      var change = SettingsChange()
      body(&change)
      _ = try await device.set(change)
    }

    /// A change whose stream is being started.
    func begin(brightness: Int64? = nil, _ body: (inout SettingsChange) -> Void = { _ in }) async -> Task<
      SettingsOutcome, any Error
    > {
      camera.state.withLock { $0.holdsStarting = true }
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      body(&change)
      let others = brightness.map { [NamedAssignment(name: "brightness", value: .value(.integer($0)))] } ?? []
      let task = Task { [change, device] in try await device.set(change, controls: others) }
      await started()
      return task
    }

    func started() async {
      await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    }

    /// A photo that has lit the lamp.
    func photo() async throws -> Task<Picture, any Error> {
      try await set { $0.flash = .init(mode: .on) }
      let photo = Task { [device] in
        try await device.capturePhoto(.rawVGA, requested: 0, progress: { _ in })
      }
      await eventually("it is lit") { level == 1 }
      return photo
    }

    var level: Double { lamp.state.withLock { $0.level } }
    var values: [ControlID: ControlValue] { camera.state.withLock(\.current) }
  }

  @Test func whatOthersSetMeanwhileStays() async throws {
    let rig = try await Rig()
    let change = await rig.begin(brightness: 40) { change in
      change.zoom = .init(factor: 2)
      change.torch = .init(mode: .on, level: 0.5)
    }
    #expect(rig.level == 0.5 && rig.values[Self.zoom] == .integer(200))
    try await rig.set { $0.zoom = .init(factor: 3) }
    // Which ends the torch.
    try await rig.set { $0.flash = .init(mode: .auto) }
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } == Self.refused)
    #expect(rig.values == [Self.brightness: .integer(10), Self.zoom: .integer(300)])
    let memory = await rig.device.memory
    #expect(memory.controls.entries.map(\.name) == ["zoom_absolute"])
    #expect(memory.controls.entries.first?.value == .integer(300))
    #expect(rig.level == 0 && memory.lamp?.level == 0 && memory.flash == .auto)
    let settings = try await rig.device.settings()
    #expect(settings.flash?.mode == .auto && settings.torch?.mode == .off && settings.frameDuration == nil)
  }

  @Test func allOfItIsTakenBackWhereNobodyElseSetAnything() async throws {
    let rig = try await Rig()
    try await rig.set { $0.flash = .init(mode: .auto) }
    let before = (try await rig.device.settings(), await rig.device.memory, rig.values)
    let change = await rig.begin(brightness: 40) { change in
      change.zoom = .init(factor: 2, rate: 100)
      change.torch = .init(mode: .on, level: 0.5)
    }
    await eventually("the ramp is over") { rig.values[Self.zoom] == .integer(200) }
    await eventually("it is known") { await rig.device.run { $0.settings.zoom.ramp } == nil }
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } == Self.refused)
    #expect(try await rig.device.settings() == before.0)
    #expect(await rig.device.memory == before.1)
    #expect(rig.values == before.2 && rig.level == 0)
  }

  @Test func aPhotosLightDoesNotComeBack() async throws {
    let rig = try await Rig()
    let photo = try await rig.photo()
    let change = await rig.begin()
    photo.cancel()
    await eventually("it goes out") { rig.level == 0 }
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } == Self.refused)
    #expect(rig.level == 0)
    _ = try? await photo.value
  }

  @Test func aTorchThatWasLitForAPhotoGoesOut() async throws {
    let rig = try await Rig()
    let photo = try await rig.photo()
    let change = await rig.begin { $0.torch = .init(mode: .on, level: 0.5) }
    photo.cancel()
    await eventually("the photo has ended") { await rig.device.gates.stream.waitingCount == 1 }
    #expect(rig.level == 0.5)
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } == Self.refused)
    _ = try? await photo.value
    #expect(rig.level == 0)
    let settings = try await rig.device.settings()
    #expect(settings.torch?.mode == .off && settings.flash?.mode == .on)
    #expect(await rig.device.memory.lamp == nil)
  }

  @Test func aLampIsAsItWasAlsoWhereItsCameraIsUnpluggedMeanwhile() async throws {
    let rig = try await Rig()
    try await rig.set { $0.torch = .init(mode: .on, level: 0.25) }
    let change = await rig.begin { $0.torch = .init(mode: .on, level: 0.5) }
    #expect(rig.level == 0.5)
    await rig.device.vanished()
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } != nil)
    #expect(rig.level == 0.25)
    #expect(await rig.device.memory.lamp?.level == 0.25)
  }

  @Test func aTorchThatWasLitForAPhotoGoesOutAlsoWhereItsCameraIsUnpluggedMeanwhile() async throws {
    let rig = try await Rig()
    let photo = try await rig.photo()
    let change = await rig.begin { $0.torch = .init(mode: .on, level: 0.5) }
    photo.cancel()
    await eventually("the photo has ended") { await rig.device.gates.stream.waitingCount == 1 }
    await rig.device.vanished()
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } != nil)
    _ = try? await photo.value
    #expect(rig.level == 0)
    #expect(await rig.device.memory.lamp == nil)
  }

  /// The camera goes while that is taken back. `isTold`: the node hears of it then; otherwise the driver refuses before the node hears of it.
  @Test(arguments: [false, true])
  func aTorchThatWasLitForAPhotoGoesOutAlsoWhereItsCameraGoesMeanwhile(_ isTold: Bool) async throws {
    let rig = try await Rig(hasDriver: true)
    let photo = try await rig.photo()
    let change = await rig.begin { $0.torch = .init(mode: .on, level: 0.5) }
    photo.cancel()
    await eventually("the photo has ended") { await rig.device.gates.stream.waitingCount == 1 }
    rig.camera.state.withLock { state in
      if isTold { state.holdsControls = true } else { state.listingsUntilFailure = 0 }
    }
    rig.camera.releaseStart(failing: Self.refused)
    if isTold {
      await eventually("its controls are asked for") {
        rig.camera.state.withLock { !$0.heldControls.isEmpty }
      }
      await rig.device.vanished()
    }
    #expect(await refusal { _ = try await change.value } != nil)
    _ = try? await photo.value
    #expect(rig.level == 0)
    rig.camera.releaseControls()
  }

  @Test func theNodesZoomIsAsItWasAlsoWhereItsCameraIsUnpluggedMeanwhile() async throws {
    let rig = try await Rig(hasControls: false)
    let change = await rig.begin { $0.zoom = .init(factor: 2) }
    #expect(await rig.device.run { $0.settings.zoom.factor } == 2)
    await rig.device.vanished()
    rig.camera.releaseStart(failing: Self.refused)
    #expect(await refusal { _ = try await change.value } != nil)
    #expect(await rig.device.run { $0.settings.zoom.factor } == 1)
  }

  @Test func boundsThatWereRefusedAreNotTheNextOnesFormer() async throws {
    let rig = try await Rig()
    let first = await rig.begin()
    let second = Task { [device = rig.device] in
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15), maximum: FrameInterval(rate: 15))
      return try await device.set(change)
    }
    await eventually("it waits for the stream") { await rig.device.gates.stream.waitingCount == 1 }
    for change in [first, second] {
      await rig.started()
      rig.camera.releaseStart(failing: Self.refused, holdsNext: true)
      // As it was.
      await rig.started()
      rig.camera.releaseStart(holdsNext: true)
      #expect(await refusal { _ = try await change.value } == Self.refused)
    }
    #expect(try await rig.device.settings().frameDuration == nil)
    #expect(await rig.device.memory.frameDuration == nil)
  }

  @Test func aSessionWhoseStreamDoesNotStartAnewGoesOnAsItWas() async throws {
    let rig = try await Rig(streams: false)
    _ = try await rig.engine.configureSession("door", .of("0", .rawVGA), starts: true, owner: someone)
    let session = try await rig.engine.session("door")
    let sink = TestSink()
    _ = try await session.subscribe(.rawVGA, output: "video", sink: sink, holder: "1")
    let before = (try await rig.device.settings(), await rig.device.memory, rig.values)
    rig.camera.state.withLock { $0.startError = Self.refused }
    let error = await refusal {
      try await rig.set { change in
        change.frameDuration = .init(minimum: FrameInterval(rate: 15))
        change.zoom = .init(factor: 2)
      }
    }
    #expect(error == Self.refused)
    #expect(try await rig.device.settings() == before.0)
    #expect(await rig.device.memory == before.1)
    #expect(rig.values == before.2)
    #expect(rig.camera.state.withLock { $0.stream?.interval?.rate } == 30)
    rig.camera.emit()
    await eventually("the viewer goes on") { sink.received.last?.picture != nil }
    let status = await session.status()
    #expect(status.isRunning && status.error == nil && status.interruption == nil)
    #expect(status.activeFormats.first??.interval?.rate == 30)
  }

  @Test func aSessionWhoseStreamWasLostWithTheChangeStartsItAgain() async throws {
    let rig = try await Rig(streams: false)
    _ = try await rig.engine.configureSession("door", .of("0", .rawVGA), starts: true, owner: someone)
    let session = try await rig.engine.session("door")
    let sink = TestSink()
    _ = try await session.subscribe(.rawVGA, output: "video", sink: sink, holder: "1")
    let change = await rig.begin()
    rig.camera.releaseStart(failing: Self.refused, holdsNext: true)
    // Nor as it was.
    await rig.started()
    rig.camera.releaseStart(failing: Self.refused, holdsNext: true)
    #expect(await refusal { _ = try await change.value } == Self.refused)
    #expect(await rig.device.memory.frameDuration == nil)
    // By the session.
    await rig.started()
    rig.camera.releaseStart()
    await eventually("it streams") { await session.status().activeFormats.first??.interval?.rate == 30 }
    rig.camera.emit()
    await eventually("the viewer goes on") { sink.received.last?.gap.discontinuity?.kind == .resumed }
    #expect(await session.status().error == nil)
  }

  @Test func aSessionThatIsStoppedMeanwhileIsNotWaitedFor() async throws {
    let rig = try await Rig(streams: false)
    _ = try await rig.engine.configureSession("door", .of("0", .rawVGA), starts: true, owner: someone)
    let session = try await rig.engine.session("door")
    // It is stopped before a frame has come.
    await session.gate.enterToCleanUp()
    let stopping = Task { try await session.stop() }
    await eventually("it is to be stopped") { await session.gate.waitingCount == 1 }
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    let set = try await rig.device.set(change)
    let waiting = Task { [device = rig.device] in try await device.awaitChange(set.change) }
    await session.gate.leave()
    _ = try await stopping.value
    #expect(try await waiting.value.frame == nil)
    #expect(rig.camera.state.withLock(\.starts) == 2)
  }
}
