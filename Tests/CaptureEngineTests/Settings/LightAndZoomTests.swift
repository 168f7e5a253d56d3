import CaptureControls
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct LightAndZoomTests {
  private static let zoom = ControlID.zoomAbsolute

  private static func zoomable() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock {
      $0.controls = [
        ControlDescription(
          id: zoom, name: "zoom_absolute", label: "Zoom", type: .integer, minimum: 100, maximum: 400,
          defaultValue: 100)
      ]
    }
    return camera
  }

  private static func zoom(_ factor: Double, rate: Double? = nil) -> SettingsChange {
    var change = SettingsChange()
    change.zoom = .init(factor: factor, rate: rate)
    return change
  }

  @Test func aRampArrivesByItself() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let begun = try await device.set(Self.zoom(4, rate: 20))
    #expect(begun.settings.zoom?.isRamping == true)
    await eventually("it arrives") { await device.knownSettings()?.zoom?.factor.value == 4 }
    await eventually("it ends") { await device.knownSettings()?.zoom?.isRamping == false }
    let steps = camera.state.withLock { $0.assignments.compactMap(\.value.number) }
    #expect(steps == steps.sorted() && steps.last == 400)
  }

  @Test func aRampStandsWhereNoFramesComeAndArrivesInTime() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["640x480": [120]])])
    let device = try await engine(camera, imaging: .standard).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    // Some 180 steps.
    let begun = try await device.set(Self.zoom(8, rate: 2))
    await eventually("it ends") { await device.knownSettings()?.zoom?.isRamping == false }
    #expect(await device.lastChange <= begun.change + UInt64(Zoom.mostWaitingSteps) + 1)
    #expect(try await device.settings().zoom?.factor.value == 8)
    let applied = try await outcome(of: { try await device.awaitChange(begun.change) }) { camera.emit() }
    #expect(applied.frame != nil)
    // The steps that waited are over: another ramp moves.
    let next = try await device.set(Self.zoom(1, rate: 0.1))
    await eventually("it moves") { await device.lastChange > next.change }
  }

  @Test func aRampIsStoppedWhereItIs() async throws {
    let device = try await engine(Self.zoomable()).device("0")
    _ = try await device.set(Self.zoom(4, rate: 0.05))
    let stopped = try await device.set(Self.zoom(0))
    #expect(stopped.settings.zoom?.isRamping == false)
    #expect(try #require(stopped.settings.zoom?.factor.value) < 4)
    await #expect(throws: CaptureError.self) { try await device.set(Self.zoom(2, rate: -1)) }
    await #expect(throws: CaptureError.self) { try await device.set(Self.zoom(9, rate: 1)) }
  }

  @Test(arguments: [0.0, -1, 0.009, 100.5, Double.infinity, Double.nan])
  func ratesOutOfRangeAreRefused(_ rate: Double) async throws {
    let device = try await engine(Self.zoomable()).device("0")
    let error = await refusal { _ = try await device.set(Self.zoom(2, rate: rate)) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasSuffix("'fake-0' takes 0.01 to 100") == true)
    #expect(try await device.settings().zoom?.factor.value == 1)
  }

  @Test func aRateOutOfRangeCanBeClamped() async throws {
    let device = try await engine(Self.zoomable()).device("0")
    _ = try await device.set(Self.zoom(4, rate: 1000), clamping: true)
    await eventually("it arrives") { await device.knownSettings()?.zoom?.factor.value == 4 }
  }

  @Test func aLampIsATorchAndIsSwitchedOffForAnotherCamera() async throws {
    let device = try await engine(Self.zoomable()).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    #expect(try await device.settingsDescription().torch?.source == "LED test")
    var change = SettingsChange()
    change.torch = .init(mode: .on, level: 0.25)
    #expect(try await device.set(change).settings.torch?.isActive == true)
    #expect(lamp.state.withLock { $0.level } == 0.25)
    try await device.switchTorchOff()
    #expect(lamp.state.withLock { $0.level } == 0)
    #expect(await device.knownSettings()?.torch?.mode == .off)
    change.torch = .init(mode: .auto)
    await #expect(throws: CaptureError.self) { try await device.set(change) }
  }

  @Test func nothingStaysOfAChangeThatFailsBehindTheDriversControls() async throws {
    let camera = FakeCamera()
    let label = ControlID(rawValue: 0x98_f001)
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(id: label, name: "label", label: "Label", type: .string, maximum: 10)
      ]
      state.values = [label: .text("before")]
      state.crop = SensorCrop(
        whole: PixelArea(x: 0, y: 0, width: 640, height: 480),
        area: PixelArea(x: 0, y: 0, width: 640, height: 480))
    }
    let device = try await engine(camera).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    var change = SettingsChange()
    (change.torch, change.zoom) = (.init(mode: .on, level: 0.5), .init(factor: 2))
    let assignments = [NamedAssignment(name: "label", value: .value(.text("after")))]
    // The sensor is cropped last, the lamp is lit before.
    camera.state.withLock { $0.cropError = CaptureError(.unavailable, "the camera does not answer") }
    await #expect(throws: CaptureError.self) { try await device.set(change, controls: assignments) }
    #expect(lamp.state.withLock { $0.level } == 0)
    #expect(camera.state.withLock { $0.values } == [label: .text("before")])
    lamp.state.withLock { $0.isBroken = true }
    camera.state.withLock { $0.cropError = nil }
    await #expect(throws: CaptureError.self) { try await device.set(change, controls: assignments) }
    #expect(camera.state.withLock { $0.values } == [label: .text("before")])
  }

  @Test func aLampIsNotOnInTheDarkAndExcludesTheFlash() async throws {
    let device = try await engine(Self.zoomable()).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    func set(torch: SettingsChange.Light, flash: SettingsChange.Light? = nil) async throws {
      var change = SettingsChange()
      (change.torch, change.flash) = (torch, flash)
      _ = try await device.set(change)
    }
    let dark = await refusal { try await set(torch: .init(mode: .on, level: 0)) }
    #expect(dark?.code == .invalidArgument && dark?.message.contains("cannot be on at level 0") == true)
    let both = await refusal { try await set(torch: .init(mode: .on), flash: .init(mode: .on)) }
    #expect(both?.message == "torch and flash exclude each other; switch one of them off")
    #expect(lamp.state.withLock { $0.level } == 0)
    try await set(torch: .init(level: 0.5))
    #expect(lamp.state.withLock { $0.level } == 0.5)
    try await set(torch: .init(level: 0))
    #expect(lamp.state.withLock { $0.level } == 0)
  }

  @Test func aLampThatFailsTakesTheRestOfTheChangeBack() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let lamp = TestLamp()
    await device.installLamp(lamp)
    lamp.state.withLock { $0.isBroken = true }
    var change = Self.zoom(2)
    change.torch = .init(mode: .on)
    let error = await #expect(throws: CaptureError.self) { try await device.set(change) }
    #expect(error?.code == .permissionDenied)
    #expect(camera.state.withLock(\.current)[Self.zoom] == .integer(100))
  }

  /// Takes no level, and something else with it.
  private struct FaultyLamp: LightSource {
    let name = "LED test"
    let steps: Int? = nil
    let fail: @Sendable () -> Void
    func level() throws(CaptureError) -> Double { 0 }
    func set(_ level: Double) throws(CaptureError) {
      fail()
      throw CaptureError(.permissionDenied, "it may not be set")
    }
  }

  @Test func whatCannotBeTakenBackIsTold() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    await device.installLamp(
      FaultyLamp { camera.state.withLock { $0.brokenControls = [.zoomAbsolute] } })
    var change = Self.zoom(2)
    change.torch = .init(mode: .on)
    let error = await #expect(throws: CaptureError.self) { try await device.set(change) }
    #expect(error?.code == .permissionDenied)
    let told = await device.status().lastError
    #expect(told == "'zoom_absolute' could not be set back: the camera does not answer")
  }

  @Test func frameDurationsBoundTheNextStream() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(numerator: 1, denominator: 15))
    let set = try await device.set(change)
    #expect(set.settings.frameDuration?.minimum?.rate == 15)
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 15)
    change.frameDuration = .init(minimum: FrameInterval(numerator: 1, denominator: 900))
    await #expect(throws: CaptureError.self) { try await device.set(change) }
  }

  @Test func frameDurationsThatTheStreamCannotHaveAreSetBack() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    change.zoom = .init(factor: 2)
    let before = try await device.settings()
    let memory = await device.memory.controls
    let error = await #expect(throws: CaptureError.self) { try await device.set(change) }
    #expect(error?.code == .resourceExhausted)
    // Nothing of the change stays.
    #expect(try await device.settings() == before)
    #expect(camera.state.withLock(\.current)[Self.zoom] == .integer(100))
    #expect(await device.memory.controls == memory)
    // The viewer goes on as before.
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 30)
    camera.emit()
    await eventually("it comes") { sink.received.last?.picture != nil }
  }

  @Test func aRampEndsWithTheChangeThatItBelongsTo() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.state.withLock { $0.startError = CaptureError(.resourceExhausted, "no bandwidth") }
    var change = Self.zoom(4, rate: 0.05)
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    await #expect(throws: CaptureError.self) { try await device.set(change) }
    #expect(try await device.settings().zoom?.isRamping == false)
    #expect(camera.state.withLock(\.current)[Self.zoom] == .integer(100))
    let waiting = await refusal { _ = try await device.awaitChange(1) }
    #expect(waiting?.message == "no bandwidth")
  }

  @Test func frameDurationsOutOfRangeCanBeClamped() async throws {
    let device = try await engine(Self.zoomable()).device("0")
    var change = SettingsChange()
    change.frameDuration = .init(
      minimum: FrameInterval(numerator: 1, denominator: 900),
      maximum: FrameInterval(numerator: 9, denominator: 1))
    let set = try await device.set(change, clamping: true)
    #expect(set.settings.frameDuration?.minimum?.rate == 60)
    #expect(set.settings.frameDuration?.maximum?.rate == 10)
    #expect(set.clamped.map(\.name) == ["frame_duration", "frame_duration"])
    #expect(set.clamped.map(\.set) == [1.0 / 60, 0.1])
    // What the camera has, and the stream that runs has not.
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    change.frameDuration = .init(maximum: FrameInterval(rate: 60))
    await #expect(throws: CaptureError.self) { try await device.set(change) }
    let slower = try await device.set(change, clamping: true)
    #expect(slower.settings.frameDuration?.maximum?.rate == 30)
    #expect(slower.clamped.map(\.set) == [1.0 / 30])
    // Both have not.
    change.frameDuration = .init(minimum: FrameInterval(numerator: 10, denominator: 1))
    let slowest = try await device.set(change, clamping: true)
    let clamped = ClampedValue(name: "frame_duration", asked: 10, set: 1.0 / 15)
    #expect(slowest.clamped == [clamped])
  }

  /// Between two rates that the camera has.
  @Test func aStreamIsNeverFasterThanTheShortestFrameNorSlowerThanTheLongest() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    func bound(_ minimum: Double?, _ maximum: Double?) async throws {
      var change = SettingsChange()
      change.frameDuration = .init(
        minimum: minimum.flatMap { FrameInterval(rate: $0) },
        maximum: maximum.flatMap { FrameInterval(rate: $0) })
      _ = try await device.set(change)
    }
    func rate() -> Double? { camera.state.withLock { $0.stream?.interval?.rate } }
    try await bound(20, nil)
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(rate() == 15)
    try await bound(nil, 20)
    #expect(rate() == 30)
    try await bound(20, 12)
    #expect(rate() == 15)
    // Nothing there lasts so long, and the stream stays as it was.
    let refused = await refusal { try await bound(29, 16) }
    #expect(
      refused?.message == "frame_duration cannot be from 1/29 to 1/16 s: frames of 'fake-0' at 640x480 YUYV "
        + "last 1/30, 1/15 s; take bounds that include one of these")
    #expect(rate() == 15)
    let settings = try await device.settings()
    #expect(settings.frameDuration?.minimum?.rate == 20 && settings.frameDuration?.maximum?.rate == 12)
    await device.unsubscribe(subscription)
    // Nor does anything in any format.
    let none = await refusal { try await bound(59, 31) }
    #expect(none?.code == .invalidArgument && none?.message.contains("from 1/59 to 1/31 s") == true)
    let upsideDown = await refusal { try await bound(10, 30) }
    #expect(upsideDown?.code == .invalidArgument)
  }

  // MARK: The first frame that has it

  @Test func newFrameDurationsAreHadByTheFirstFrameOfTheStreamThatKeepsToThem() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    for _ in 0..<5 { camera.emit() }
    await eventually("the last came") { sink.received.last?.picture?.description.sequence == 4 }
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    let restarted = try await device.set(change)
    async let first = device.awaitChange(restarted.change)
    camera.emit()
    await eventually("it came") { sink.received.last?.picture?.description.sequence == 0 }
    let stamp = sink.received.last?.picture?.description.timestamp.nanoseconds
    camera.emit()
    let named = try #require(try await first.frame)
    #expect(named.sequence == 0 && named.timestamp == stamp)
    // A stream that keeps to them already goes on: it is a frame to come.
    change.frameDuration = .init(minimum: FrameInterval(rate: 15), maximum: FrameInterval(rate: 10))
    let kept = try await device.set(change)
    async let next = device.awaitChange(kept.change)
    camera.emit()
    #expect(try await next.frame?.sequence == 2)
  }

  @Test func aRampIsHadByTheFrameInWhichItArrives() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.emit()
    let begun = try await device.set(Self.zoom(4, rate: 20))
    let emitting = Task {
      while !Task.isCancelled {
        camera.emit()
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    let applied = try await device.awaitChange(begun.change)
    let named = try #require(applied.frame)
    await eventually("it came") { sink.received.last?.picture?.description.sequence ?? 0 > named.sequence }
    emitting.cancel()
    let frames = sink.received.compactMap(\.picture?.description)
    for frame in frames {
      // A frame that came while the driver was being told does not know.
      guard let zoom = frame.settings?.zoomFactor, zoom.provenance != .unknown else { continue }
      #expect((zoom.value == 4) == (frame.sequence >= named.sequence), "frame \(frame.sequence)")
    }
  }

  @Test func aRampThatAnotherChangeEndsNeverArrives() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.emit()
    let begun = try await device.set(Self.zoom(4, rate: 0.05))
    async let applied = refusal { _ = try await device.awaitChange(begun.change) }
    _ = try await device.set(Self.zoom(0))
    #expect(await applied?.code == .aborted)
    #expect(await applied?.message.contains("another change ended it on its way") == true)
  }

  @Test(.timeLimit(.minutes(1))) func whatElseTheRampsChangeSetIsTold() async throws {
    let camera = Self.zoomable()
    camera.state.withLock {
      $0.controls.append(
        ControlDescription(
          id: .brightness, name: "brightness", label: "Brightness", type: .integer,
          maximum: 255))
    }
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    let watch = try await device.watchSettings(["brightness"])
    _ = try await watch.next()
    let others = [NamedAssignment(name: "brightness", value: .value(.integer(40)))]
    _ = try await device.set(Self.zoom(4, rate: 0.05), controls: others)
    _ = try await device.set(Self.zoom(0))
    let news = try await watch.next()
    #expect(news?.keys == [.control(.brightness)] && news?.change == 0)
    await eventually("nothing is left of it") {
      camera.emit()
      return await device.run { $0.settings.ledger.hasNoChanges }
    }
  }

  @Test(.timeLimit(.minutes(1))) func aRampEndsWithItsCamera() async throws {
    let camera = Self.zoomable()
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    let begun = try await device.set(Self.zoom(4, rate: 0.05))
    async let waiting = refusal { _ = try await device.awaitChange(begun.change) }
    provider.unplug(camera)
    #expect(
      await waiting
        == CaptureError(.unavailable, "'fake-0' was unplugged", .init(.cameraUnplugged, device: "fake-0")))
    #expect(await device.run { $0.settings.zoom.ramp } == nil)
  }

  @Test func whatIsSoAlreadyIsHadByAFrameToCome() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    for _ in 0..<3 { camera.emit() }
    var change = SettingsChange()
    change.frameDuration = .init()
    let same = try await device.set(change)
    async let applied = device.awaitChange(same.change)
    camera.emit()
    #expect(try await applied.frame?.sequence == 3)
  }

  @Test func aStreamThatRunsKeepsToNewFrameDurationsAtOnce() async throws {
    let camera = Self.zoomable()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 30)
    camera.emit()
    var change = SettingsChange()
    for (minimum, rate) in [(FrameInterval(rate: 15), 15.0), (nil, 30)] {
      change.frameDuration = .init(minimum: minimum)
      _ = try await device.set(change)
      #expect(camera.state.withLock { $0.stream?.interval?.rate } == rate)
      camera.emit()
      await eventually("the viewer goes on") {
        sink.received.last?.gap.discontinuity?.reason == "frames come at \(Int(rate)) fps now"
      }
      #expect(sink.received.last?.gap.discontinuity?.kind == .reconfigured)
    }
    #expect(camera.state.withLock { $0.starts } == 3)
  }
}
