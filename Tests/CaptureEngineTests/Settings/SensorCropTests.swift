import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct SensorCropTests {
  private static let whole = PixelArea(x: 0, y: 0, width: 1280, height: 720)

  private static func camera() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock { $0.crop = SensorCrop(whole: whole, area: whole) }
    return camera
  }

  private static func zoom(_ factor: Double, rate: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.zoom = .init(factor: factor, rate: rate)
    return change
  }

  private static func area(_ camera: FakeCamera) -> PixelArea? { camera.state.withLock { $0.crop?.area } }

  @Test func theDriverScalesTheMiddleOfTheSensorAndFramesSaySo() async throws {
    let camera = Self.camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    #expect(try await device.settingsDescription().zoom == .init(maximum: 8, kind: .sensorCrop))
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.emit()
    await eventually("the first came") { sink.received.count == 1 }

    let set = try await device.set(Self.zoom(2))
    #expect(Self.area(camera) == PixelArea(x: 320, y: 180, width: 640, height: 360))
    #expect(set.settings.zoom == .init(factor: Observed(2, .reported), kind: .sensorCrop))
    for _ in 0..<4 { camera.emit() }
    let applied = try await device.awaitChange(set.change)
    await eventually("the others came") { sink.received.last?.picture?.description.sequence == 4 }
    for picture in sink.received.compactMap(\.picture) {
      let isZoomed = picture.description.sequence >= applied.frame!.sequence
      #expect(picture.description.settings?.zoomFactor?.value == (isZoomed ? 2 : 1))
      // As the driver gave it.
      let bytes = try #require(picture.payload.segments.first)
      #expect(bytes.allSatisfy { $0 == UInt8(picture.description.sequence) })
    }

    _ = try await device.set(Self.zoom(1))
    #expect(Self.area(camera) == Self.whole)
  }

  @Test func aStreamThatTheBackendStartedAnewHasTheCropAgain() async throws {
    let camera = Self.camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.emit()
    _ = try await device.set(Self.zoom(2))
    let cropped = Self.area(camera)
    camera.send(.interrupted(reason: "it gave no frame for 1 s"))
    // Some drivers take the whole sensor when their format is set.
    camera.state.withLock { $0.crop?.area = Self.whole }
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "it gave no frame for 1 s"))
    await eventually("the crop is back") { Self.area(camera) == cropped }
    #expect(cropped != Self.whole)
  }

  @Test func aZoomThatAClientSetsMeanwhileStays() async throws {
    let camera = Self.camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.emit()
    _ = try await device.set(Self.zoom(2))
    camera.state.withLock { state in
      state.crop?.area = Self.whole
      state.holdsCropping = true
    }
    let change = Task { try await device.set(Self.zoom(4)) }
    await eventually("the driver has it") { camera.state.withLock { $0.heldCropping.count } == 1 }
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "it gave no frame for 1 s"))
    await eventually("the crop is to come back") { camera.state.withLock { $0.heldCropping.count } == 2 }
    camera.releaseCropping()
    #expect(try await change.value.settings.zoom?.factor.value == 4)
    await eventually("both are done") { camera.state.withLock { $0.crops.count } == 3 }
    #expect(camera.state.withLock { $0.crop?.factor } == 4)
    #expect(try await device.settings().zoom?.factor.value == 4)
  }

  @Test(arguments: [false, true]) func whereTheDriverRefusesTheNodeCrops(isZoomed: Bool) async throws {
    let camera = Self.camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    if isZoomed { _ = try await device.set(Self.zoom(2)) }
    camera.state.withLock {
      $0.cropError = CaptureError(.failedPrecondition, "its driver does not scale")
    }
    let set = try await device.set(Self.zoom(3))
    #expect(set.settings.zoom == .init(factor: Observed(3, .reported), kind: .digital))
    #expect(
      try await device.settingsDescription().zoom
        == .init(maximum: 8, kind: .digital, reason: "its driver does not scale"))
    // Nothing is asked of it any more.
    camera.state.withLock { $0.cropError = nil }
    #expect(Self.area(camera) == Self.whole)
    _ = try await device.set(Self.zoom(4))
    #expect(Self.area(camera) == Self.whole)
  }

  @Test func aDriverThatCropsOnlyWhileItIsIdleKeepsItsCropUntilTheStreamHasEnded() async throws {
    let camera = Self.camera()
    camera.state.withLock { $0.cropsWhileStreaming = false }
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.set(Self.zoom(2))
    let viewer = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    for factor in [4.0, 1] {
      let error = await refusal { _ = try await device.set(Self.zoom(factor)) }
      #expect(error?.code == .failedPrecondition)
      #expect(
        error?.message
          == "the zoom of 'fake-0' stays at 2: its driver does not crop while it streams; end the streams of the camera first"
      )
      #expect(
        try await device.settings().zoom == .init(factor: Observed(2, .reported), kind: .sensorCrop))
    }
    // It has that already.
    #expect(try await device.set(Self.zoom(2)).settings.zoom?.factor.value == 2)
    await device.unsubscribe(viewer)
    await eventually("the stream has ended") { camera.state.withLock { $0.stream } == nil }
    #expect(
      try await device.set(Self.zoom(4)).settings.zoom
        == .init(factor: Observed(4, .reported), kind: .sensorCrop))
  }

  /// Some drivers take another part of the sensor with a stream's format. `taken`: how much that magnifies.
  @Test(arguments: [1.0, 4]) func aCropThatDoesNotComeBackIsTold(taken: Double) async throws {
    let camera = Self.camera()
    camera.state.withLock { $0.cropsWhileStreaming = false }
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.set(Self.zoom(2))
    camera.state.withLock { $0.holdsStarting = true }
    let sink = TestSink()
    let start = Task { try await device.subscribe(.rawVGA, sink: sink, holder: "1") }
    await eventually("it starts") { camera.state.withLock(\.heldStarting.count) == 1 }
    camera.state.withLock { state in
      if let area = state.crop?.area(magnifying: taken) { state.crop?.area = area }
    }
    camera.releaseStart()
    let viewer = try await start.value
    // The node magnifies the whole sensor alone.
    let told: Double = taken == 1 ? 2 : taken
    #expect(
      try await device.settings().zoom
        == .init(factor: Observed(told, .reported), kind: taken == 1 ? .digital : .sensorCrop))
    await eventually("frames tell it") {
      camera.emit()
      return sink.received.last?.picture?.description.settings?.zoomFactor?.value == told
    }
    guard taken != 1 else { return }
    await device.unsubscribe(viewer)
    await eventually("the stream has ended") { camera.state.withLock { $0.stream } == nil }
    camera.state.withLock { $0.cropsWhileStreaming = true }
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    #expect(Self.area(camera)?.width == 640)
  }

  @Test func anUnpluggedCameraIsNoRefusal() async throws {
    let camera = Self.camera()
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.settingsDescription()
    camera.state.withLock { $0.cropError = CaptureError(.unavailable, "it is gone") }
    #expect(await refusal { _ = try await device.set(Self.zoom(2)) }?.code == .unavailable)
    #expect(try await device.settings().zoom?.factor.value == 1)
    #expect(try await device.settingsDescription().zoom?.kind == .sensorCrop)
  }

  /// A change is revoked while its camera goes. `isKept`: a client had set the factor from before; otherwise the driver had it. `isSilent`: the driver
  /// does not answer any more; otherwise it refuses, and then the camera is unplugged.
  @Test(arguments: [false, true], [false, true])
  func aFactorThatCannotBeSetBackIsThereAfterTheReturn(isKept: Bool, isSilent: Bool) async throws {
    let camera = FakeCamera(hasDriver: true)
    let crop = SensorCrop(whole: Self.whole, area: Self.whole)
    camera.state.withLock { state in
      state.crop = crop
      if !isKept { state.crop?.area = crop.area(magnifying: 4) }
    }
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    if isKept { _ = try await device.set(Self.zoom(4)) }
    #expect(try await device.settings().zoom?.factor.value == 4)
    let viewer = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")

    camera.state.withLock { $0.holdsStarting = true }
    let change = Task {
      var change = Self.zoom(2)
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      return try await device.set(change)
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    #expect(camera.state.withLock { $0.crop?.factor } == 2)
    let gone = CaptureError(.unavailable, "it is gone")
    if isSilent {
      camera.fallSilent()
      await engine.checkDrivers()
    } else {
      camera.state.withLock { $0.cropError = gone }
      camera.releaseStart(failing: gone)
    }
    #expect(await refusal { _ = try await change.value }?.code == .unavailable)

    if isSilent {
      camera.releaseStart()
      camera.answerAgain()
      await engine.checkDrivers()
    } else {
      provider.unplug(camera)
      await eventually("it is gone") { await device.camera == nil }
      camera.state.withLock { $0.cropError = nil }
      provider.plug(camera)
    }
    await eventually("it is back") { await device.camera != nil }
    #expect(try await device.settings().zoom?.factor.value == 4)
    #expect(Self.area(camera) == crop.area(magnifying: 4))
    withExtendedLifetime(viewer) {}
  }

  @Test func aRampArrivesAndTheFactorOutlivesNodeAndFormat() async throws {
    let store = TestStore()
    let camera = Self.camera()
    for isFirst in [true, false] {
      let engine = CaptureEngine(imaging: .fake(), store: store)
      await engine.attach(FakeProvider([camera]))
      let device = try engine.device("0")
      if isFirst {
        _ = try await device.set(Self.zoom(4, rate: 40))
        await eventually("it ends") { await device.knownSettings()?.zoom?.isRamping == false }
      } else {
        #expect(try await device.settings().zoom?.factor.value == 4)
      }
      #expect(Self.area(camera) == PixelArea(x: 480, y: 270, width: 320, height: 180))
      // As another program or a driver may leave it.
      camera.state.withLock { $0.crop?.area = Self.whole }
    }
    let engine = CaptureEngine(imaging: .fake(), store: store)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.crop?.area = Self.whole }
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(Self.area(camera)?.width == 320)
  }
}
