import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct SettingsFaultTests {
  private static let autoExposure = ControlID.autoExposure
  private static let exposure = ControlID.exposureAbsolute
  private static let autoFocus = ControlID.autoFocus
  private static let focus = ControlID.focusAbsolute
  static let gain = ControlID.gain

  /// A camera with focus and exposure, all automatic.
  static func webcam(hasDriver: Bool = false) -> FakeCamera {
    let camera = FakeCamera(hasDriver: hasDriver)
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: gain, name: "gain", label: "Gain", type: .integer, maximum: 255, defaultValue: 1),
        ControlDescription(
          id: autoExposure, name: "auto_exposure", label: "Auto Exposure", type: .menu, maximum: 3,
          defaultValue: 3,
          menu: [.init(index: 1, content: .name("Manual")), .init(index: 3, content: .name("Aperture"))]),
        ControlDescription(
          id: exposure, name: "exposure_time_absolute", label: "Exposure", type: .integer, minimum: 1,
          maximum: 2000, defaultValue: 100),
        ControlDescription(
          id: autoFocus, name: "focus_automatic", label: "Focus, Auto", type: .boolean, maximum: 1,
          defaultValue: 1),
        ControlDescription(
          id: focus, name: "focus_absolute", label: "Focus", type: .integer, maximum: 250, step: 5),
      ]
      state.owners = [exposure: .init(autoExposure, manual: [1]), focus: .init(autoFocus, manual: [0])]
    }
    return camera
  }

  static var change: SettingsChange {
    var change = SettingsChange()
    change.focus.lensPosition = 0.5
    change.exposure.duration = 0.01
    change.exposure.gain = 40
    return change
  }

  @Test func modesAndValuesGoOutInOrder() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    let outcome = try await device.set(Self.change)
    #expect(outcome.change == 1 && !outcome.isStreaming)
    #expect(outcome.settings.exposure?.duration == Observed(0.01, .reported))
    #expect(outcome.settings.focus?.lensPosition == Observed(0.5, .reported))
    #expect(
      camera.state.withLock(\.assignments).map(\.id) == [
        Self.autoFocus, Self.autoExposure, Self.focus, Self.exposure, Self.gain,
      ])
  }

  /// A camera whose automatic exposure has registers of its own.
  @Test func customLeavesWhatItIsNotGivenAsTheAutomaticModeFoundIt() async throws {
    let camera = Self.webcam()
    camera.state.withLock { state in
      state.owners[Self.gain] = .init(Self.autoExposure, manual: [1])
      state.values = [Self.gain: .integer(1), Self.exposure: .integer(100)]
      state.found = [Self.gain: .integer(77), Self.exposure: .integer(333)]
    }
    let device = try await engine(camera).device("0")
    var change = SettingsChange()
    change.exposure.duration = 0.01
    let short = try await device.set(change)
    #expect(short.settings.exposure?.duration == Observed(0.01, .reported))
    #expect(short.settings.exposure?.gain == Observed(77, .reported))
    change.exposure = .init(mode: .continuous)
    _ = try await device.set(change)
    camera.state.withLock { $0.found[Self.gain] = .integer(55) }
    change.exposure = .init(gain: 9)
    let bright = try await device.set(change)
    #expect(bright.settings.exposure?.duration == Observed(333 * 1e-4, .reported))
    #expect(bright.settings.exposure?.gain == Observed(9, .reported))
  }

  /// A gain that stays the camera's own also with a duration by hand.
  @Test func whatIsNotFreeAfterTheModeIsLeftToTheCamera() async throws {
    let camera = Self.webcam()
    camera.state.withLock { $0.owners[Self.gain] = .init(Self.autoExposure, manual: [0]) }
    let device = try await engine(camera).device("0")
    var change = SettingsChange()
    change.exposure.duration = 0.01
    let set = try await device.set(change)
    #expect(set.settings.exposure?.duration == Observed(0.01, .reported))
    #expect(camera.state.withLock { $0.assignments.map(\.id) } == [Self.autoExposure, Self.exposure])
  }

  @Test(arguments: 0..<5) func nothingStaysOfAChangeOneOfWhoseControlsFails(_ failing: Int) async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    let before = try await device.settings()
    let values = camera.state.withLock(\.current)
    camera.state.withLock { $0.setsUntilFailure = failing }
    let error = await #expect(throws: CaptureError.self) { try await device.set(Self.change) }
    #expect(error?.code == .unavailable)
    #expect(camera.state.withLock(\.current) == values)
    #expect(try await device.settings() == before)
    // It is as able as before.
    #expect(try await device.set(Self.change).settings.exposure?.gain?.value == 40)
  }

  /// What was done is undone on the device: on another executor that would end the process.
  @Test(arguments: [false, true]) func aCameraFailsBetweenTwoSteps(_ hasDriver: Bool) async throws {
    let camera = Self.webcam(hasDriver: hasDriver)
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    let values = camera.state.withLock(\.current)
    camera.state.withLock { $0.listingsUntilFailure = 0 }
    let error = await #expect(throws: CaptureError.self) { try await device.set(Self.change) }
    #expect(error?.code == .unavailable)
    #expect(camera.state.withLock(\.current) == values)
    #expect(try await device.set(Self.change).settings.exposure?.gain?.value == 40)
  }

  /// Its firmware did, without a word of the driver's.
  @Test func aCameraThatWasResetIsAskedAnew() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.change)
    camera.state.withLock { $0.values = [:] }
    var change = SettingsChange()
    change.focus.lensPosition = 0.2
    let position = try #require(try await device.set(change).settings.focus?.lensPosition)
    #expect(abs(position.value - 0.2) < 0.001)
    #expect(camera.state.withLock { $0.values } == [Self.autoFocus: .integer(0), Self.focus: .integer(200)])
  }

  /// What acts each time that it is set would act twice.
  @Test func whatActsIsNotTriedAgain() async throws {
    let camera = Self.webcam()
    let once = ControlID.autoFocusStart
    camera.state.withLock {
      $0.controls.append(
        ControlDescription(id: once, name: "auto_focus_start", label: "Auto Focus, Start", type: .button))
    }
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.change)
    camera.state.withLock {
      $0.values = [:]
      $0.values[Self.autoFocus] = .integer(0)
      $0.assignments = []
    }
    var change = SettingsChange()
    change.focus.mode = .auto
    let others = [NamedAssignment(name: "exposure_time_absolute", value: .value(.integer(50)))]
    let error = await #expect(throws: CaptureError.self) { try await device.set(change, controls: others) }
    #expect(error?.code == .failedPrecondition)
    #expect(camera.state.withLock(\.assignments).map(\.id).filter { $0 == once }.count == 1)
  }

  @Test func aRefusalOfALaterPartSetsNothing() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    var change = Self.change
    change.exposure.gain = 400
    await #expect(throws: CaptureError.self) { try await device.set(change) }
    await #expect(throws: CaptureError.self) {
      try await device.set(Self.change, controls: [NamedAssignment(name: "nonsense", value: .literal("1"))])
    }
    #expect(camera.state.withLock(\.assignments).isEmpty)
  }

  @Test func controlsAreListedOnceForManyChanges() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.change)
    let listings = camera.state.withLock(\.listings)
    for gain in 1...20 {
      var change = SettingsChange()
      change.exposure.gain = Double(gain)
      _ = try await device.set(change)
    }
    #expect(camera.state.withLock(\.listings) == listings)
  }

  @Test func aLockedExposureIsStillOneAfterTheNodesRestart() async throws {
    let (camera, store) = (Self.webcam(), TestStore())
    let first = CaptureEngine(imaging: .fake(), store: store)
    await first.attach(FakeProvider([camera]))
    var change = SettingsChange()
    change.exposure.mode = .locked
    #expect(try await first.device("0").set(change).settings.exposure?.mode == .locked)
    await first.shutDown()
    let second = CaptureEngine(imaging: .fake(), store: store)
    await second.attach(FakeProvider([camera]))
    #expect(try await second.device("0").settings().exposure?.mode == .locked)
    await second.shutDown()
  }

  @Test func aResetLeavesTheWhiteBalanceAlone() async throws {
    let camera = Self.webcam()
    let automatic = ControlID.autoWhiteBalance
    camera.state.withLock { state in
      state.controls.append(
        ControlDescription(
          id: automatic, name: "white_balance_automatic", label: "White Balance, Automatic", type: .boolean,
          maximum: 1, defaultValue: 1))
      state.values[automatic] = .integer(0)
    }
    let device = try await engine(camera).device("0")
    _ = try await device.set(Self.change)
    let reset = try await device.resetSettings().settings
    #expect(reset.focus?.mode == .continuous && reset.exposure?.mode == .continuous)
    #expect(reset.whiteBalance?.mode == .locked)
    #expect(camera.state.withLock(\.current)[automatic] == .integer(0))
  }

  @Test func whatWasSetIsSetAgainWhenTheCameraReturns() async throws {
    let (first, back) = (Self.webcam(), Self.webcam())
    let provider = FakeProvider([first])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    _ = try await device.set(Self.change)
    provider.unplug(first)
    provider.plug(back)
    await eventually("it is set again") {
      back.state.withLock { $0.current } == first.state.withLock { $0.current }
    }
  }

  @Test func aModeThatWasSoAlreadyIsSetAgainWithItsValue() async throws {
    let (first, back) = (Self.webcam(), Self.webcam())
    first.state.withLock { $0.values[Self.autoExposure] = .integer(1) }
    let provider = FakeProvider([first])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    var change = SettingsChange()
    change.exposure = .init(mode: .custom, duration: 0.01)
    _ = try await device.set(change)
    #expect(first.state.withLock(\.assignments).map(\.id) == [Self.exposure])
    provider.unplug(first)
    provider.plug(back)
    await eventually("both are set again") {
      let now = back.state.withLock(\.current)
      return now[Self.autoExposure] == .integer(1) && now[Self.exposure] == .integer(100)
    }
  }

  @Test func framesTellTheISOThatAGainIsSaidToBe() async throws {
    let camera = Self.webcam()
    let node = await engine(camera)
    await node.setUp(CameraID(rawValue: "fake-0")) { $0.gainISO = 100...2650 }
    let device = try node.device("0")
    #expect(try await device.settingsDescription().exposure?.iso?.maximum == 2650)
    var change = SettingsChange()
    change.exposure.iso = 1100
    let outcome = try await device.set(change)
    #expect(outcome.settings.exposure?.iso == Observed(1100, .assumed))
    #expect(outcome.settings.exposure?.gain == Observed(100, .reported))
    let sink = TestSink()
    let subscription = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    change.exposure.iso = 600
    _ = try await device.set(change)
    change.exposure = .init(gain: 10)
    _ = try await device.set(change)
    await eventually("frames tell the ISO of a gain that was set") {
      camera.emit()
      return sink.received.last?.picture?.description.settings?.iso == Observed(200, .assumed)
    }
    await device.unsubscribe(subscription)
  }

  @Test func aChangeThatTakesLongCostsNobodyAFrame() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    let subscription = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.state.withLock { $0.holdsSetting = true }
    let setting = Task { try await device.set(Self.change) }
    await eventually("it is on its way") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    // Two seconds at 30 a second.
    for count in 1...60 {
      camera.emit()
      await eventually("it has come") { sink.received.count == count }
    }
    let sequences = sink.received.map { $0.picture?.description.sequence }
    #expect(sequences == (0..<60).map { UInt64($0) })
    // What is being set just now nobody knows.
    #expect(sink.received.last?.picture?.description.settings?.exposureDuration?.provenance == .unknown)
    camera.releaseSetting()
    #expect(try await setting.value.isStreaming)
    await device.unsubscribe(subscription)
  }

  @Test func whatAnotherProgramChangesIsTold() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    let watch = try await device.watchSettings(["focus"])
    #expect(try await watch.next()?.keys == [])
    await eventually("it is observed") { camera.isObserved }
    camera.state.withLock { $0.values[Self.autoFocus] = .integer(0) }
    camera.announce(ControlChange(id: Self.autoFocus, value: .integer(0), flags: []))
    let news = try #require(try await watch.next())
    #expect(news.change == 0 && news.keys.contains(.setting(.focusMode)))
    // Nothing streams.
    #expect(news.frame == nil)
    #expect(await device.knownSettings()?.focus?.mode == .locked)
    watch.end()
  }

  @Test func framesTellWhatTheyWereTakenWith() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    camera.emit()
    await eventually("it comes") { sink.received.count == 1 }
    let before = sink.received[0].picture?.description.settings
    #expect(before?.exposureDuration?.provenance == .unknown && before?.change == 0)
    let outcome = try await device.set(Self.change)
    #expect(outcome.isStreaming)
    async let applied = device.awaitChange(outcome.change)
    for _ in 0..<4 { camera.emit() }
    let first = try #require(try await applied.frame?.sequence)
    await eventually("they come") { sink.received.count == 5 }
    for received in sink.received {
      let description = try #require(received.picture?.description)
      #expect((description.settings?.change == 1) == (description.sequence >= first))
    }
    #expect(sink.received.last?.picture?.description.settings?.exposureDuration == Observed(0.01, .reported))
  }

  @Test func anExposureInLinesIsKnownWhileTheCameraStreams() async throws {
    let camera = FakeCamera()
    camera.state.withLock {
      $0.controls = [
        ControlDescription(
          id: .exposureLines, name: "exposure", label: "Exposure", type: .integer, minimum: 4, maximum: 1000,
          defaultValue: 500),
        ControlDescription(
          id: .horizontalBlanking, name: "horizontal_blanking", label: "Blanking", type: .integer,
          minimum: 80, maximum: 80, defaultValue: 80),
        ControlDescription(
          id: .pixelRate, name: "pixel_rate", label: "Pixel Rate", type: .integer, minimum: 72_000_000,
          maximum: 72_000_000, defaultValue: 72_000_000),
      ]
    }
    let device = try await engine(camera).device("0")
    #expect(try await device.settings().exposure?.duration == nil)
    let sink = TestSink()
    let subscription = try await device.subscribe(.rawVGA, sink: sink, holder: "1")
    await eventually("it is known") { await device.knownSettings()?.exposure?.duration != nil }
    let duration = try #require(await device.knownSettings()?.exposure?.duration?.value)
    #expect(abs(duration - 0.005) < 1e-9)
    camera.emit()
    await eventually("it comes") { sink.received.count == 1 }
    #expect(sink.received[0].picture?.description.settings?.exposureDuration?.value == duration)
    await device.unsubscribe(subscription)
    #expect(try await device.settings().exposure?.duration == nil)
  }

  @Test(.timeLimit(.minutes(1))) func afterAStreamThatCouldNotBeNothingWaitsForItsFrames() async throws {
    let camera = Self.webcam()
    let device = try await engine(camera).device("0")
    camera.state.withLock { $0.otherSize = FrameSize(width: 320, height: 240) }
    await #expect(throws: CaptureError.self) {
      try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    }
    let outcome = try await device.set(Self.change)
    #expect(!outcome.isStreaming)
    #expect(try await device.awaitChange(outcome.change).frame == nil)
  }

  @Test func aChangeThatThereWasNotCannotBeAwaited() async throws {
    let device = try await engine(Self.webcam()).device("0")
    let error = await #expect(throws: CaptureError.self) { try await device.awaitChange(7) }
    #expect(error?.code == .notFound)
  }
}
