import CaptureControls
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What nobody set through the node: other programs, and the camera's own modes.
@Suite(.timeLimit(.minutes(1))) struct FoundChangeTests {
  private static let brightness = ControlID.brightness

  /// A camera with an exposure that its own mode moves, and tells or not; every control is in effect a frame late.
  private static func camera(tells: Bool = true) -> FakeCamera {
    let camera = FakeCamera("a")
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: brightness, name: "brightness", label: "Brightness", type: .integer, maximum: 255),
        ControlDescription(id: .gain, name: "gain", label: "Gain", type: .integer, maximum: 255),
        ControlDescription(
          id: .autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu, maximum: 3,
          defaultValue: 3,
          menu: [.init(index: 1, content: .name("Manual")), .init(index: 3, content: .name("Aperture"))]),
        ControlDescription(
          id: .exposureAbsolute, name: "exposure_time_absolute", label: "Exposure", type: .integer,
          minimum: 1, maximum: 2000, defaultValue: 100, flags: tells ? .volatile : []),
      ]
      state.owners = [.exposureAbsolute: .init(.autoExposure, manual: [1])]
    }
    return camera
  }

  /// Frames at 30 a second, and what they were taken with.
  private struct Frames {
    let camera: FakeCamera
    let sink = TestSink()
    private let start: UInt64

    /// `start`: a time that lies before all of them.
    init(_ camera: FakeCamera, from start: UInt64 = MonotonicClock.now() - 10_000_000_000) {
      self.camera = camera
      self.start = start
    }

    /// When the exposure of a frame begins.
    func start(of sequence: UInt64) -> UInt64 { start + sequence * 33_333_333 }

    /// Whoever subscribes gets each.
    func emit(_ count: Int = 1) async {
      for _ in 0..<count {
        let next = camera.state.withLock(\.sequence)
        camera.emit(timestamp: .at(start(of: next)))
        await eventually("it has come") { latestSequence == next }
      }
    }

    private var latestSequence: UInt64? { sink.received.last?.picture?.description.sequence }

    func settings(_ sequence: UInt64) -> FrameSettings? {
      sink.received.compactMap { $0.picture?.description }.first { $0.sequence == sequence }?.settings
    }

    var latest: FrameSettings? { sink.received.last?.picture?.description.settings }
  }

  // MARK: Other programs

  @Test func whatAnotherProgramChangesHasItsFrame() async throws {
    let camera = Self.camera(tells: false)
    camera.state.withLock { $0.values[.autoExposure] = .integer(1) }
    let device = try await engine(camera).device("0")
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings(["exposure", "brightness"])
    _ = try await watch.next()
    await eventually("it is observed") { camera.isObserved }
    await frames.emit(4)
    // While frame 4 is exposed; frame 5 begins after it, and two frames later it is in effect.
    let time = frames.start(of: 4) + 5_000_000
    camera.state.withLock { $0.values[.gain] = .integer(9) }
    camera.announce(ControlChange(id: .gain, value: .integer(9), flags: [], time: time))
    await eventually("it is read") { await !device.run { $0.settings.ledger.hasNoReadings } }
    await frames.emit(5)
    let news = try #require(try await watch.next())
    #expect(news.keys == [.setting(.gain)] && news.change == 0)
    #expect(news.frame?.sequence == 7 && news.frame?.timestamp == frames.start(of: 7))
    #expect(news.provenance == .assumed)
    for sequence in 0...8 as ClosedRange<UInt64> {
      let gain = sequence < 7 ? 0.0 : 9
      #expect(frames.settings(sequence)?.gain == Observed(gain, .reported), "frame \(sequence)")
    }
    watch.end()
    await device.unsubscribe(stream)
  }

  @Test func whatAnotherProgramChangesWhileTheControlsAreFirstReadIsNotMissed() async throws {
    let camera = Self.camera(tells: false)
    camera.state.withLock {
      $0.values[.autoExposure] = .integer(1)
      $0.holdsCropReading = true
    }
    let device = try await engine(camera).device("0")
    await eventually("it is observed") { camera.isObserved }
    let reading = Task { try await device.settingsDescription() }
    // The crop is asked for once the values were read.
    await eventually("the values were read") { camera.state.withLock { !$0.heldCropReading.isEmpty } }
    camera.state.withLock { $0.values[.gain] = .integer(9) }
    camera.announce(ControlChange(id: .gain, value: .integer(9), flags: []))
    // The device has heard of it before it answers.
    _ = await device.lastChange
    camera.releaseCropReading()
    _ = try await reading.value
    await eventually("it is known") { await device.knownSettings()?.exposure?.gain?.value == 9 }
  }

  @Test func soHaveItsModesAndOtherControls() async throws {
    let camera = Self.camera(tells: false)
    let device = try await engine(camera).device("0")
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings(["exposure", "auto_exposure", "brightness"])
    _ = try await watch.next()
    await eventually("it is observed") { camera.isObserved }
    await frames.emit(4)
    #expect(frames.latest?.exposureDuration == Observed(0.01, .unknown))
    let time = frames.start(of: 4) + 5_000_000
    camera.state.withLock {
      $0.values[.autoExposure] = .integer(1)
      $0.values[Self.brightness] = .integer(3)
    }
    camera.announce(ControlChange(id: .autoExposure, value: .integer(1), flags: [], time: time))
    camera.announce(ControlChange(id: Self.brightness, value: .integer(3), flags: [], time: time))
    await eventually("all is read") {
      await device.run { !$0.settings.ledger.hasNoReadings && !$0.settings.observed.isReadingDue }
    }
    // Each of them may have a reading of its own, which is over then.
    await device.gates.settings.enterToCleanUp()
    await device.gates.settings.leave()
    await frames.emit(5)
    var keys: Set<SettingsKey> = []
    while keys.count < 5, let news = try await watch.next() {
      keys.formUnion(news.keys)
      #expect(news.frame?.sequence == 7)
    }
    #expect(
      keys == [
        .setting(.exposureMode), .setting(.exposureDuration), .setting(.gain), .control(.autoExposure),
        .control(Self.brightness),
      ])
    #expect(frames.settings(6)?.exposureDuration == Observed(0.01, .unknown))
    #expect(frames.settings(7)?.exposureDuration == Observed(0.01, .reported))
    watch.end()
    await device.unsubscribe(stream)
  }

  @Test func whatIsDifferentWhenACameraIsBackIsTold() async throws {
    let camera = Self.camera(tells: false)
    let device = try await engine(camera).device("0")
    let watch = try await device.watchSettings(["exposure", "brightness"])
    _ = try await watch.next()
    await device.vanished()
    // As after its power was off, or at the hands of whoever had it meanwhile.
    camera.state.withLock {
      $0.values[.gain] = .integer(9)
      $0.values[Self.brightness] = .integer(3)
    }
    await device.appeared(camera)
    var keys: Set<SettingsKey> = []
    while keys.count < 2, let news = try await watch.next() {
      #expect(news.change == 0)
      keys.formUnion(news.keys)
    }
    #expect(keys == [.setting(.gain), .control(Self.brightness)])
    #expect(await device.knownSettings()?.exposure?.gain?.value == 9)
    #expect(try await device.readings(of: ["brightness"]).map(\.value) == [.integer(3)])
    watch.end()
  }

  @Test func whatWasSetBeforeACameraWentIsToldWhenItIsBack() async throws {
    let camera = Self.camera(tells: false)
    let device = try await engine(camera).device("0")
    let frames = Frames(camera, from: MonotonicClock.now())
    _ = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings(["exposure.gain"])
    _ = try await watch.next()
    var change = SettingsChange()
    change.exposure.gain = 9
    _ = try await device.set(change)
    // No frame that has it came.
    await device.vanished()
    await device.appeared(camera)
    #expect(try await watch.next()?.keys == [.setting(.gain)])
    watch.end()
  }

  /// A client asks in the middle of another's change: what it sees of it is nobody else's doing.
  @Test func whoAsksDuringAChangeIsNotTakenForAnotherProgram() async throws {
    let camera = Self.camera(tells: false)
    let device = try await engine(camera).device("0")
    let frames = Frames(camera, from: MonotonicClock.now())
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings(["exposure"])
    _ = try await watch.next()
    await frames.emit(4)
    camera.state.withLock { $0.holdsSetting = true }
    var change = SettingsChange()
    change.exposure.gain = 9
    let setting = Task { [change] in try await device.set(change) }
    await eventually("it is on its way") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    camera.state.withLock { $0.values[.gain] = .integer(9) }
    let readings = await device.run { $0.settings.ledger.lastReading }
    #expect(try await device.settings().exposure?.gain?.value == 9)
    #expect(await device.run { $0.settings.ledger.lastReading } == readings)
    camera.releaseSetting()
    let outcome = try await setting.value
    // However long that took, some frame begins after it.
    await eventually("its frame is known") {
      await frames.emit()
      return await device.run { $0.settings.ledger.hasNoChanges }
    }
    #expect(try await device.awaitChange(outcome.change).change == outcome.change)
    #expect(try await watch.next()?.change == outcome.change)
    watch.end()
    await device.unsubscribe(stream)
  }

  // MARK: The camera's own modes

  @Test func whatTheCamerasModeMovesIsReadWhileFramesCome() async throws {
    let camera = Self.camera()
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.readings = [] }
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    await frames.emit()
    #expect(frames.settings(0)?.exposureDuration == Observed(0.01, .unknown))
    // The camera was asked, and its answer has been taken in: until then a frame tells that nobody knows.
    await eventually("it is read") { await device.run { $0.settings.observed.quietUntil } > 0 }
    #expect(camera.state.withLock { $0.readings } == [[.exposureAbsolute]])
    await frames.emit()
    #expect(frames.settings(1)?.exposureDuration == Observed(0.01, .assumed))
    // Five times a second at most: that is every seventh frame.
    await frames.emit(5)
    #expect(camera.state.withLock { $0.readings.count } == 1)
    camera.state.withLock { $0.values[.exposureAbsolute] = .integer(250) }
    await eventually("frames tell it") {
      await frames.emit()
      return frames.latest?.exposureDuration == Observed(0.025, .assumed)
    }
    #expect(camera.state.withLock { $0.readings.allSatisfy { $0 == [.exposureAbsolute] } })
    await device.unsubscribe(stream)
  }

  @Test func watchersHearOfItWithItsFrame() async throws {
    let camera = Self.camera()
    let device = try await engine(camera).device("0")
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings(["exposure.duration"])
    _ = try await watch.next()
    await frames.emit(3)
    camera.state.withLock { $0.values[.exposureAbsolute] = .integer(250) }
    await eventually("it is read") {
      await frames.emit()
      return await device.knownSettings()?.exposure?.duration?.value == 0.025
    }
    await frames.emit()
    let news = try await watch.next()
    #expect(news?.keys == [.setting(.exposureDuration)] && news?.change == 0)
    #expect(news?.provenance == .assumed)
    let first = try #require(news?.frame?.sequence)
    #expect(frames.settings(first - 1)?.exposureDuration?.value == 0.01)
    #expect(frames.settings(first)?.exposureDuration == Observed(0.025, .assumed))
    watch.end()
    await device.unsubscribe(stream)
  }

  @Test func aReadingThatTakesLongCostsNoFrameAndIsNotBelieved() async throws {
    let camera = Self.camera()
    let device = try await engine(camera).device("0")
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    camera.state.withLock {
      $0.readings = []
      $0.holdsReading = true
    }
    await frames.emit()
    await eventually("it is asked") { camera.state.withLock { !$0.heldReading.isEmpty } }
    // Two seconds.
    await frames.emit(59)
    #expect(frames.sink.received.count == 60)
    #expect(camera.state.withLock { $0.readings.count } == 1)
    #expect(frames.latest?.exposureDuration?.provenance == .unknown)
    camera.state.withLock { $0.values[.exposureAbsolute] = .integer(250) }
    camera.releaseReading()
    await eventually("it is read") { await device.knownSettings()?.exposure?.duration?.value == 0.025 }
    await frames.emit()
    // It may have been so two seconds ago, or now.
    #expect(frames.latest?.exposureDuration == Observed(0.025, .unknown))
    await device.unsubscribe(stream)
  }

  @Test func nothingIsReadThatNobodySees() async throws {
    let camera = Self.camera()
    let engine = await engine(camera)
    let device = try engine.device("0")
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    _ = try await session.start()
    await eventually("its controls are known") { await device.knownSettings() != nil }
    camera.state.withLock { $0.readings = [] }
    let frames = Frames(camera)
    for sequence in 0..<30 as Range<UInt64> { camera.emit(timestamp: .at(frames.start(of: sequence))) }
    // Whatever that led to has been done.
    _ = await device.status()
    #expect(camera.state.withLock { $0.readings.isEmpty })
    let watch = try await device.watchSettings(["exposure"])
    await eventually("it is read for who watches") { camera.state.withLock { !$0.readings.isEmpty } }
    watch.end()
    let subscription = try await session.subscribe(
      .rawVGA, output: "video", sink: frames.sink, holder: "1")
    camera.state.withLock { $0.readings = [] }
    await eventually("it is read for who gets frames") {
      await frames.emit()
      return camera.state.withLock { !$0.readings.isEmpty }
    }
    await session.unsubscribe(subscription)
    _ = try await session.stop()
  }

  @Test func ofACameraWhoseModesAreOffNothingIsRead() async throws {
    let camera = Self.camera(tells: false)
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.readings = [] }
    let frames = Frames(camera)
    let stream = try await device.subscribe(.rawVGA, sink: frames.sink, holder: "1")
    let watch = try await device.watchSettings([])
    await frames.emit(30)
    _ = await device.status()
    #expect(camera.state.withLock { $0.readings.isEmpty })
    watch.end()
    await device.unsubscribe(stream)
  }
}
