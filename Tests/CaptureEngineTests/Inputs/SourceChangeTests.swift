import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct SourceChangeTests {
  private static let hd = FrameSize(width: 1280, height: 720)
  private static let fullHD = FrameSize(width: 1920, height: 1080)

  /// A capture card with a TV input and an HDMI input, which is in use.
  private static func card(hasDriver: Bool = false) -> FakeCamera {
    let camera = FakeCamera(
      formats: [FakeCamera.format(.yuyv, ["1280x720": [60]])], hasDriver: hasDriver)
    camera.state.withLock { state in
      state.inputs = [CameraInput(index: 0, name: "TV 0", kind: .tuner), InputStateTests.hdmi()]
      state.formatsOfSignals = [
        .hd: [FakeCamera.format(.yuyv, ["1280x720": [60]])],
        .fullHD: [FakeCamera.format(.yuyv, ["1920x1080": [50]])],
        .standard("PAL"): [FakeCamera.format(.yuyv, ["720x576": [25]])],
      ]
      state.inputs[0].signal = .standard("PAL")
    }
    return camera
  }

  private func sizes(_ device: Device) async throws -> [FrameSize] {
    try await device.formats().flatMap { $0.sizes.map(\.maximum) }
  }

  /// Frames until the sink has one that `holds`.
  private func frames(
    of camera: FakeCamera, into sink: TestSink, _ what: Comment, until holds: (TestSink.Received) -> Bool
  ) async -> TestSink.Received? {
    await eventually(what) {
      camera.emit()
      return sink.received.contains(where: holds)
    }
    return sink.received.first(where: holds)
  }

  @Test(arguments: [true, false]) func formatsAreListedAnewAfterAChange(isTold: Bool) async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    #expect(try await sizes(device) == [Self.hd])
    camera.changeInput(isOfSource: isTold ? false : nil) { $0.signal = .fullHD }
    await eventually("the new size") { (try? await sizes(device)) == [Self.fullHD] }
  }

  @Test func aSourceOfAnotherSizeIsAdoptedAndItsViewersStay() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    let (plain, small, raw) = (TestSink(), TestSink(), TestSink())
    let subscription = try await device.subscribe(VideoRequest(), sink: plain, holder: "1")
    _ = try await device.subscribe(
      VideoRequest(size: FrameSize(width: 640, height: 360)), sink: small, holder: "2")
    _ = try await device.subscribe(
      VideoRequest(encoding: .raw, pixelFormat: .yuyv), sink: raw, holder: "3")
    _ = await frames(of: camera, into: plain, "a frame") { $0.picture != nil }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    let first = await frames(of: camera, into: plain, "the new size") {
      $0.picture?.description.size == Self.fullHD
    }
    #expect(first?.gap.discontinuity?.kind == .reconfigured)
    #expect(first?.gap.discontinuity?.reason.contains("1920x1080 at 50 fps") == true)
    #expect(camera.state.withLock { $0.inputs[1].signal } == .fullHD)
    let scaled = await frames(of: camera, into: small, "a scaled frame") {
      $0.gap.discontinuity?.kind == .reconfigured
    }
    #expect(scaled?.picture?.description.size == FrameSize(width: 640, height: 360))
    let bytes = await frames(of: camera, into: raw, "a raw frame") {
      $0.gap.discontinuity?.kind == .reconfigured
    }
    #expect(bytes?.picture?.description.size == Self.fullHD)
    #expect(await device.status().subscribers == 3)
    // Who leaves is known by what it got when it came.
    await device.unsubscribe(subscription)
    #expect(await device.status().subscribers == 2)
  }

  @Test func aSourceAtARateThatTheBoundsExcludeIsServedAtItsOwn() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 60), maximum: FrameInterval(rate: 60))
    _ = try await device.set(change)
    let sink = TestSink()
    let first = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    let other = await frames(of: camera, into: sink, "the new size") {
      $0.picture?.description.size == Self.fullHD
    }
    #expect(other?.gap.discontinuity?.reason.contains("50 fps, which the bounds") == true)
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 50)
    // Whoever comes has it too, whether or not it streams.
    let second = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "2")
    await device.unsubscribe(first)
    await device.unsubscribe(second)
    #expect(camera.state.withLock { $0.stream } == nil)
    let late = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: late, holder: "3")
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 50)
    let tooFast = await refusal {
      _ = try await device.subscribe(VideoRequest(rate: 60), sink: TestSink(), holder: "4")
    }
    #expect(tooFast?.code == .failedPrecondition)
    // The bounds are kept for a source that keeps to them.
    camera.changeInput(isOfSource: true) { $0.detected = .hd }
    let back = await frames(of: camera, into: late, "the former size") {
      $0.picture?.description.size == Self.hd
    }
    #expect(back?.gap.discontinuity?.reason.contains("bounds") == false)
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 60)
    #expect(try await device.settings().frameDuration == change.frameDuration)
  }

  private func isTaken(_ gate: Gate) -> Bool {
    guard gate.tryEnter() else { return true }
    gate.leave()
    return false
  }

  /// A viewer's subscription that begins while the card appears, and ends once it has.
  private func subscribe(_ sink: TestSink, whileAppears camera: FakeCamera, _ device: Device) async throws {
    let gate = await device.gates.stream
    let viewer = Task { try await device.subscribe(VideoRequest(), sink: sink, holder: "1") }
    await eventually("the viewer waits for the card") { camera.isHolding && isTaken(gate) }
    camera.releaseEverything()
    _ = try await viewer.value
  }

  @Test func aViewerWhoComesWhileTheCardAppearsHasTheSourcesRateToo() async throws {
    let store = TestStore()
    let first = CaptureEngine(imaging: .fake(), store: store)
    await first.attach(FakeProvider([Self.card()]))
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 60), maximum: FrameInterval(rate: 60))
    _ = try await first.device("0").set(change)
    await first.shutDown()
    let camera = Self.card()
    camera.changeInput(isOfSource: nil) { ($0.signal, $0.detected) = (.fullHD, .fullHD) }
    camera.state.withLock { $0.holdsInputs = true }
    let second = CaptureEngine(imaging: .fake(), store: store)
    await second.attach(FakeProvider([camera]))
    let device = try second.device("0")
    try await subscribe(TestSink(), whileAppears: camera, device)
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 50)
    #expect(try await device.settings().frameDuration == change.frameDuration)
  }

  @Test func aSignalThatTheDriverRefusesWhenTheCardAppearsIsToldOnceAndLeavesItsViewersAlone() async throws {
    let camera = Self.card()
    camera.state.withLock { state in
      state.inputs[1].detected = .fullHD
      state.adoptionErrors[.fullHD] = CaptureError(.invalidArgument, "it cannot be set to that")
      state.holdsInputs = true
    }
    let notices = Mutex<[CameraNotice]>([])
    let engine = CaptureEngine(imaging: .fake()) { notice in notices.withLock { $0.append(notice) } }
    await engine.attach(FakeProvider([camera]))
    let (device, sink) = (try engine.device("0"), TestSink())
    try await subscribe(sink, whileAppears: camera, device)
    // Whoever waits for the viewer's start has its turn before.
    let gate = await device.gates.stream
    try await gate.enter()
    gate.leave()
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    #expect(camera.state.withLock(\.inputCalls) == ["refused", "refused"])
    #expect(camera.state.withLock(\.starts) == 1 && camera.state.withLock(\.stops) == 0)
    #expect(sink.received.allSatisfy { $0.gap.discontinuity == nil })
    await eventually("it is told") { notices.withLock { $0.contains { $0.kind == .controlNotRestored } } }
    let told = notices.withLock { $0.filter { $0.kind == .controlNotRestored }.map(\.text) }
    #expect(told == ["it could not be set to the signal that is there: it cannot be set to that"])
  }

  @Test func aSourceThatChangesAfterItWasRefusedWhileTheCardAppearsIsAdopted() async throws {
    let camera = Self.card()
    camera.state.withLock { state in
      state.inputs[1].detected = .standard("PAL")
      state.adoptionErrors[.standard("PAL")] = CaptureError(.invalidArgument, "it cannot be set to that")
      state.signalBeforeObservation = .fullHD
    }
    let device = try await engine(camera).device("0")
    #expect(try await sizes(device) == [Self.fullHD])
    #expect(camera.state.withLock(\.inputCalls) == ["refused", "adopt"])
  }

  @Test func aSourceThatABusyDriverRefusesIsAdoptedLaterAndToldOnce() async throws {
    let camera = Self.card()
    let notices = Mutex<[CameraNotice]>([])
    let engine = CaptureEngine(imaging: .fake()) { notice in notices.withLock { $0.append(notice) } }
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    #expect(try await sizes(device) == [Self.hd])
    camera.state.withLock { $0.busyAdoptions = 2 }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    await eventually("it is told") { notices.withLock { $0.contains { $0.text.contains("busy") } } }
    await eventually("it is tried again") { camera.state.withLock { $0.busyAdoptions } == 0 }
    await eventually("the signal is adopted") { camera.state.withLock { $0.inputs[1].signal } == .fullHD }
    #expect(camera.state.withLock(\.inputCalls).suffix(3) == ["busy", "busy", "adopt"])
    #expect(notices.withLock { $0.filter { $0.kind == .controlNotRestored }.count } == 1)
    await eventually("the new size") { (try? await sizes(device)) == [Self.fullHD] }
  }

  @Test func aCardThatIsBusyWhenItAppearsIsSetToItsSignalLater() async throws {
    let camera = Self.card()
    camera.state.withLock { ($0.inputs[1].detected, $0.busyAdoptions) = (.fullHD, 1) }
    let device = try await engine(camera).device("0")
    #expect(try await sizes(device) == [Self.hd])
    await eventually("the signal is adopted") { camera.state.withLock { $0.inputs[1].signal } == .fullHD }
    await eventually("the new size") { (try? await sizes(device)) == [Self.fullHD] }
  }

  @Test func aViewerForWhomThereIsNothingIsToldWhyItEnds() async throws {
    let camera = Self.card()
    camera.state.withLock { state in
      state.formatsOfSignals[.fullHD] = [FakeCamera.format(.mjpeg, ["1920x1080": [50]])]
    }
    let device = try await engine(camera).device("0")
    let (picture, raw) = (TestSink(), TestSink())
    _ = try await device.subscribe(VideoRequest(), sink: picture, holder: "1")
    let subscription = try await device.subscribe(
      VideoRequest(encoding: .raw, pixelFormat: .yuyv), sink: raw, holder: "2")
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    let end = await refusal { try await subscription.waitUntilEnded() }
    #expect(end?.code == .failedPrecondition)
    #expect(end?.message.contains("1920x1080 MJPG") == true)
    let first = await frames(of: camera, into: picture, "the camera's JPEG") { $0.picture != nil }
    #expect(first?.picture?.description.pixelFormat == .mjpeg)
    #expect(await device.status().subscribers == 1)
  }

  @Test func aStreamWithoutSignalSaysSoToItsViewersAndInStatus() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.noSignal, nil) }
    await eventually("it is told") { sink.received.last?.interruption != nil }
    #expect(sink.received.last?.interruption == "the input 'HDMI 0' has no signal")
    let status = await device.status()
    #expect(status.input?.status == .noSignal)
    #expect(status.lastError.contains("no signal"))
    // Whoever comes hears it at once.
    let late = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: late, holder: "2")
    await eventually("the late one is told") { late.received.first?.interruption != nil }
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.ready, .hd) }
    let first = await frames(of: camera, into: sink, "its return") {
      $0.gap.discontinuity?.kind == .resumed
    }
    #expect(first?.gap.discontinuity?.reason == "the input 'HDMI 0' has no signal")
    #expect(camera.state.withLock(\.starts) == 1, "the same signal needs no restart")
  }

  @Test func aPhotoWithoutSignalIsUnavailableUnlessItIsAllowed() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    camera.changeInput(isOfSource: nil) { ($0.status, $0.detected) = (.noPower, nil) }
    let error = await refusal {
      _ = try await device.capturePhoto(VideoRequest(), requested: MonotonicClock.now()) { _ in }
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("the input 'HDMI 0' has no power") == true)
    #expect(camera.state.withLock { $0.stream } == nil)
    let photo = try await outcome {
      try await device.capturePhoto(
        VideoRequest(allowsNoSignal: true), requested: MonotonicClock.now()
      ) { _ in }
    } while: {
      camera.emit()
    }
    #expect(photo.description.size == Self.hd)
  }

  /// The signal goes, and the stream has heard of that.
  private func loseSignal(of camera: FakeCamera, _ device: Device) async {
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.noSignal, nil) }
    await eventually("the signal is lost") { await device.run { $0.stream?.hub.noSignal } != nil }
  }

  /// The report of a change takes a shorter way than the answer of a reading that began before it.
  @Test func aSignalThatReturnsWhileTheInputIsReadIsThere() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    await loseSignal(of: camera, device)
    camera.state.withLock { $0.holdsReadInputs = true }
    let reading = Task { try await device.formats() }
    await eventually("the input was read") { camera.state.withLock { !$0.heldReadInputs.isEmpty } }
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.ready, .hd) }
    await eventually("the signal is back") { await device.run { $0.stream?.hub.noSignal } == nil }
    camera.releaseReadInputs()
    _ = try await reading.value
    #expect(await device.run { $0.stream?.hub.noSignal } == nil)
    #expect(await device.status().input?.status == .ready)
  }

  /// The card has no signal when the input is chosen, and gets one before that is told.
  @Test func aSignalThatComesWhileAnInputIsChosenIsAdopted() async throws {
    let camera = Self.card()
    camera.state.withLock { state in
      state.inputs[0].isSelected = true
      state.inputs[1].isSelected = false
      (state.inputs[1].status, state.inputs[1].detected) = (.noSignal, nil)
    }
    let device = try await engine(camera).device("0")
    _ = try await device.listInputs()
    camera.state.withLock { $0.holdsReadInputs = true }
    let choosing = Task { try await device.selectInput("HDMI 0") }
    await eventually("the new input was read") {
      camera.state.withLock { !$0.heldReadInputs.isEmpty && $0.inputs[1].isSelected }
    }
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.ready, .fullHD) }
    camera.releaseReadInputs()
    _ = try await choosing.value
    await eventually("the signal is adopted") { camera.state.withLock { $0.inputs[1].signal } == .fullHD }
    #expect(await device.status().input?.status == .ready)
  }

  @Test(arguments: [false, true]) func aFrameWithoutSignalIsNoPhotoUnlessThatIsAllowed(isAllowed: Bool)
    async throws
  {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    var request = VideoRequest(encoding: .raw, allowsNoSignal: isAllowed)
    request.settling = .zero
    let isWaiting = Mutex(false)
    let photo = Task { [request] in
      try await device.capturePhoto(request, requested: MonotonicClock.now()) {
        if case .willCapture = $0 { isWaiting.withLock { $0 = true } }
      }
    }
    await eventually("the photo waits for its frame") { isWaiting.withLock { $0 } }
    await loseSignal(of: camera, device)
    camera.emit()
    let error = await refusal { _ = try await photo.value }
    #expect((error == nil) == isAllowed)
    guard !isAllowed else { return }
    #expect(error?.code == .unavailable && error?.details?.reason == .noSignal)
    #expect(error?.message.contains("the input 'HDMI 0' has no signal") == true)
  }

  @Test func aBurstEndsWithTheFirstFrameWithoutSignalAndThoseBeforeArePhotos() async throws {
    let (camera, permits) = (Self.card(), DispatchSemaphore(value: 0))
    let device = try await engine(camera, imaging: .fake(permits: permits)).device("0")
    let isWaiting = Mutex(false)
    let made = Mutex(0)
    let burst = Task {
      var request = VideoRequest()
      request.settling = .zero
      let (wanted, requested) = (PhotoRequest(request), MonotonicClock.now())
      try await device.run { device in
        try await device.photos.captureBurst(
          100, wanted, on: device, requested: requested,
          progress: { if case .willCapture = $0 { isWaiting.withLock { $0 = true } } },
          deliver: { _ throws(CaptureError) in made.withLock { $0 += 1 } })
      }
    }
    await eventually("the burst waits for its frames") { isWaiting.withLock { $0 } }
    for _ in 0..<4 { camera.emit() }
    await loseSignal(of: camera, device)
    camera.emit()
    // No photo was made yet.
    for _ in 0..<4 { permits.signal() }
    let error = await refusal { try await burst.value }
    #expect(error?.code == .unavailable && error?.details?.reason == .noSignal)
    #expect(made.withLock { $0 } == 4)
    #expect(error?.message.contains("the burst ended with 4 of 100 photos") == true)
  }

  @Test func anInputIsChosenWhileItsViewersStayAndIsKept() async throws {
    let (camera, store) = (Self.card(), TestStore())
    let first = CaptureEngine(imaging: .fake(), store: store)
    await first.attach(FakeProvider([camera]))
    let device = try first.device("0")
    let sink = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    let inputs = try await device.selectInput("tv 0")
    #expect(inputs.map(\.isSelected) == [true, false])
    #expect(camera.state.withLock(\.inputCalls).suffix(2) == ["select 0", "adopt"])
    let picture = await frames(of: camera, into: sink, "the TV's size") {
      $0.picture?.description.size == FrameSize(width: 720, height: 576)
    }
    #expect(picture?.gap.discontinuity?.reason.contains("'TV 0' was chosen") == true)
    await first.shutDown()

    let again = Self.card()
    let second = CaptureEngine(imaging: .fake(), store: store)
    await second.attach(FakeProvider([again]))
    #expect(try await sizes(second.device("0")) == [FrameSize(width: 720, height: 576)])
    #expect(again.state.withLock { $0.inputs.selected?.name } == "TV 0")
  }

  @Test func aChoiceThatIsCancelledBeforeItsTurnDisturbsNobody() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    let gate = await device.gates.stream
    try await gate.enter()
    let choice = Task { try await device.selectInput("TV 0") }
    await eventually("it waits") { gate.waitingCount == 1 }
    choice.cancel()
    gate.leave()
    #expect(await refusal { _ = try await choice.value }?.code == .cancelled)
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    #expect(sink.received.allSatisfy { $0.gap.discontinuity == nil })
    #expect(camera.state.withLock { $0.inputs.selected?.name } == "HDMI 0")
    #expect(camera.state.withLock(\.starts) == 1 && camera.state.withLock(\.stops) == 0)
    #expect(await device.memory.input == nil)
  }

  @Test func anInputThatIsNotThereIsRefusedNamingThoseThatAre() async throws {
    let device = try await engine(Self.card()).device("0")
    let error = await refusal { _ = try await device.selectInput("SDI 7") }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("0 'TV 0', 1 'HDMI 0'") == true)
    let plain = try await engine(FakeCamera()).device("0")
    let none = await refusal { _ = try await plain.selectInput("HDMI 0") }
    #expect(none?.message.contains("it has none to choose from") == true)
  }

  @Test func theSignalAtTheInputIsAdoptedWhenTheCameraAppears() async throws {
    let camera = Self.card(hasDriver: true)
    camera.state.withLock { $0.inputs[1].detected = .fullHD }
    let device = try await engine(camera).device("0")
    #expect(try await sizes(device) == [Self.fullHD])
  }

  @Test func aSourceThatChangesWhileTheCardAppearsIsAdopted() async throws {
    let camera = Self.card()
    camera.state.withLock { $0.signalBeforeObservation = .fullHD }
    let device = try await engine(camera).device("0")
    await eventually("the signal is adopted") { camera.state.withLock { $0.inputs[1].signal } == .fullHD }
    await eventually("the new size") { (try? await sizes(device)) == [Self.fullHD] }
  }

  @Test func anEDIDIsWrittenFromTheConfigurationAlone() async throws {
    let (told, other) = (Self.card(), FakeCamera("fake-1"))
    let engine = CaptureEngine(imaging: .fake())
    await engine.setUp(told.description.id) { $0.edid = [1, 2, 3] }
    await engine.attach(FakeProvider([told, other]))
    _ = try await (engine.device("0").formats(), engine.device("1").formats())
    #expect(told.state.withLock(\.edid) == [1, 2, 3])
    #expect(other.state.withLock(\.edid) == nil)
  }

  @Test func formatsAreListedAnewAfterTheDriverRefusedWhatItListed() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["1280x720": [60]])])
    let device = try await engine(camera).device("0")
    #expect(try await sizes(device) == [Self.hd])
    camera.state.withLock { state in
      state.formats = [FakeCamera.format(.yuyv, ["1920x1080": [50]])]
      state.startError = CaptureError(.invalidArgument, "it offers no 1280x720 YUYV")
    }
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    #expect(camera.state.withLock { $0.stream?.size } == Self.fullHD)
    #expect(try await sizes(device) == [Self.fullHD])
  }

  @Test func formatsAreListedAnewAfterTheDriverRefusedARateThatItListed() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["1280x720": [15, 30]])])
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    camera.state.withLock { state in
      state.formats = [FakeCamera.format(.yuyv, ["1920x1080": [50]])]
      state.startError = CaptureError(.invalidArgument, "it offers no 1280x720 YUYV at 15")
    }
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    let error = await refusal { _ = try await device.set(change) }
    #expect(error?.message == "it offers no 1280x720 YUYV at 15")
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 30)
    #expect(try await sizes(device) == [Self.fullHD])
  }

  /// `isRunning`: the session starts a stream again that has ended.
  @Test(arguments: [false, true]) func aSessionStartsInTheFormatsThatTheDriverHasNow(isRunning: Bool)
    async throws
  {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["1280x720": [60]])])
    let engine = await engine(camera)
    _ = try await engine.configureSession(
      "door", .of("0", preset: .high), starts: isRunning, owner: someone)
    let session = try await engine.session("door")
    camera.state.withLock { $0.holdsStarting = true }
    let start = Task { if !isRunning { _ = try await session.start() } }
    if isRunning { camera.send(.ended(CaptureError(.unavailable, "the link is severed"))) }
    await eventually("it starts") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    camera.state.withLock { $0.formats = [FakeCamera.format(.yuyv, ["1920x1080": [50]])] }
    camera.releaseStart(failing: CaptureError(.invalidArgument, "it offers no 1280x720 YUYV"))
    try await start.value
    await eventually("the session knows its format") {
      await session.status().activeFormats.first??.size == Self.fullHD
    }
    #expect(camera.state.withLock { $0.stream?.size } == Self.fullHD)
    #expect(await session.status().isRunning)
  }

  @Test func aSessionsOwnFormatThatTheDriverHasNoMoreIsRefusedWithThoseThatThereAre() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["1280x720": [60]])])
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("0", .rawHD), owner: someone)
    camera.state.withLock { state in
      state.formats = [FakeCamera.format(.yuyv, ["1920x1080": [50]])]
      state.startError = CaptureError(.invalidArgument, "the driver refused")
    }
    let error = await refusal { _ = try await engine.session("door").start() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("1920x1080") == true, "\(String(describing: error))")
  }

  @Test func aStreamThatCannotGoOnEndsWithTheReason() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    camera.state.withLock { $0.startError = CaptureError(.unavailable, "the link is severed") }
    camera.changeInput(isOfSource: true) { ($0.detected, $0.status) = (.fullHD, .unstable) }
    let end = await refusal { try await subscription.waitUntilEnded() }
    #expect(end?.message == "the link is severed; the input 'HDMI 0' has an unstable signal")
    #expect(await device.status().format == nil)
  }

  @Test func aPhotoThatWaitedIsOfTheSourceThatThereIs() async throws {
    let camera = Self.card()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    // Exposed from then on: no frame is until the camera has another source.
    let requested = Mutex(UInt64.max)
    let photo = Task {
      try await device.capturePhoto(VideoRequest(), requested: MonotonicClock.now()) { _ in
        requested.withLock { $0 = 0 }
      }
    }
    await eventually("the photo waits") { requested.withLock { $0 } == 0 }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    await eventually("another source") { camera.state.withLock { $0.inputs[1].signal } == .fullHD }
    _ = await frames(of: camera, into: sink, "the new size") {
      $0.picture?.description.size == Self.fullHD
    }
    #expect(try await photo.value.description.size == Self.fullHD)
  }

  @Test func aSessionGoesOnWithAnotherSource() async throws {
    let camera = Self.card()
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("0", preset: .high), starts: true, owner: someone)
    let sink = TestSink()
    _ = try await engine.session("door").subscribe(
      VideoRequest(), output: "video", sink: sink, holder: "1")
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    _ = await frames(of: camera, into: sink, "the new size") {
      $0.picture?.description.size == Self.fullHD
    }
    await eventually("the session knows its format") {
      (try? await engine.sessionStatus("door"))?.activeFormats.first??.size == Self.fullHD
    }
    // Its numbers go on.
    let known = sink.received.count
    _ = await frames(of: camera, into: sink, "three more") { _ in sink.received.count >= known + 3 }
    #expect(sink.received.compactMap(\.gap.discontinuity).map(\.kind) == [.reconfigured])
    _ = try await engine.session("door").stop()
    await eventually("its viewer hears of the session") {
      sink.received.last?.interruption?.contains("was stopped") == true
    }
  }

  /// The session listens to its cameras once all have started.
  @Test func aSourceThatChangesWhileItsSessionsOtherCameraStartsIsNotMissed() async throws {
    let (camera, other) = (Self.card(), FakeCamera("other"))
    let engine = await engine(camera, other)
    other.state.withLock { $0.holdsStarting = true }
    var both = SessionConfiguration.of("0", preset: .high)
    both.inputs.append(.init(camera: "1"))
    let configuring = Task { [both] in
      try await engine.configureSession("door", both, starts: true, owner: someone)
    }
    await eventually("the other one starts") { other.state.withLock { !$0.heldStarting.isEmpty } }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    await eventually("the card goes on") { camera.state.withLock { $0.stream?.size } == Self.fullHD }
    // Whoever waits for the card's restart has its turn after it.
    let gate = try await engine.device("0").gates.stream
    try await gate.enter()
    gate.leave()
    other.releaseStart()
    #expect(try await configuring.value.activeFormats.first??.size == Self.fullHD)
    let sink = TestSink()
    let viewer = try await engine.session("door").subscribe(
      VideoRequest(), output: "video", sink: sink, holder: "1")
    let first = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    #expect(first?.picture?.description.size == Self.fullHD)
    try await engine.session("door").unsubscribe(viewer)
    await engine.shutDown()
  }

  @Test(arguments: [SessionConfiguration.of("0", preset: .hd1280x720), .of("0", .rawHD)])
  func aSessionWaitsForASourceThatHasItsFormat(_ configuration: SessionConfiguration) async throws {
    let camera = Self.card()
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", configuration, starts: true, owner: someone)
    let session = try await engine.session("door")
    let watch = try await session.watch()
    _ = await watch.next()
    let sink = TestSink()
    _ = try await session.subscribe(VideoRequest(), output: "video", sink: sink, holder: "1")
    _ = await frames(of: camera, into: sink, "a frame") { $0.picture != nil }
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    let event = await watch.next()
    #expect(event?.kind == .interrupted(.cameraSilent), "\(event?.text ?? "")")
    #expect(event?.status.isRunning == true && event?.text.contains("1920x1080") == true)
    await eventually("its viewer is told") { sink.received.last?.interruption == event?.text }
    let photo = await refusal {
      _ = try await session.capturePhoto(
        PhotoRequest(VideoRequest()), output: "photo", requested: MonotonicClock.now()
      ) { _ in }
    }
    #expect(photo?.code == .unavailable && photo?.message == event?.text)
    #expect(photo?.details?.reason == .streamEnded && photo?.details?.field == nil)
    camera.changeInput(isOfSource: true) { $0.detected = .hd }
    #expect(await watch.next()?.kind == .interruptionEnded)
    let first = await frames(of: camera, into: sink, "frames again") {
      $0.gap.discontinuity?.kind == .resumed
    }
    #expect(first?.picture?.description.size == Self.hd)
  }

  /// A session in 1280x720 that runs, and its next events.
  private func door(_ provider: FakeProvider) async throws -> (
    engine: CaptureEngine, session: Session, watch: SessionWatch
  ) {
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    _ = try await engine.configureSession(
      "door", .of("0", preset: .hd1280x720), starts: true, owner: someone)
    let session = try await engine.session("door")
    let watch = try await session.watch()
    _ = await watch.next()
    return (engine, session, watch)
  }

  @Test func aCardThatGoesWhileItsSessionLooksForAFormatIsWaitedFor() async throws {
    let camera = Self.card()
    let provider = FakeProvider([camera])
    let (engine, session, watch) = try await door(provider)
    let gate = await session.gate
    camera.changeInput(isOfSource: true) { $0.detected = .fullHD }
    #expect(await watch.next()?.kind == .interrupted(.cameraSilent))
    // The attempt that failed is over.
    try await gate.enter()
    camera.state.withLock { $0.holdsInputs = true }
    gate.leave()
    await eventually("the next one reads the input") { camera.isHolding && isTaken(gate) }
    provider.unplug(camera)
    #expect(await watch.next()?.kind == .interrupted(.cameraUnplugged))
    camera.releaseEverything()
    try await gate.enter()
    gate.leave()
    #expect(await session.status().isRunning)
    provider.plug(Self.card())
    #expect(await watch.next()?.kind == .interruptionEnded)
    #expect(await session.status().isRunning)
    await engine.shutDown()
  }

  @Test func aSessionThatBeginsWithoutASignalSaysSo() async throws {
    let camera = Self.card()
    camera.changeInput(isOfSource: nil) { ($0.status, $0.detected) = (.noSignal, nil) }
    let engine = await engine(camera)
    let why = "the input 'HDMI 0' has no signal"
    let begun = try await engine.configureSession(
      "door", .of("0", preset: .high), starts: true, owner: someone)
    #expect(begun.isRunning && begun.interruption == why)
    let session = try await engine.session("door")
    _ = try await session.stop()
    #expect(try await session.start().interruption == why)
    let watch = try await session.watch()
    _ = await watch.next()
    camera.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.ready, .hd) }
    let device = try engine.device("0")
    await eventually("the signal is there") { await device.run { $0.stream?.hub.noSignal } == nil }
    camera.emit()
    #expect(await watch.next()?.kind == .interruptionEnded)
    #expect(await session.status().interruption == nil)
    await engine.shutDown()
  }

  @Test func aCardThatReturnsWithoutASignalIsNotSaidToGiveFramesAgain() async throws {
    let camera = Self.card()
    let provider = FakeProvider([camera])
    let (engine, session, watch) = try await door(provider)
    provider.unplug(camera)
    #expect(await watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = Self.card()
    back.changeInput(isOfSource: nil) { ($0.status, $0.detected) = (.noSignal, nil) }
    provider.plug(back)
    let silent = await watch.next()
    #expect(silent?.kind == .interrupted(.cameraSilent))
    // The attempt that has started it is over.
    let gate = await session.gate
    try await gate.enter()
    gate.leave()
    #expect(await session.status().interruption == "the input 'HDMI 0' has no signal")
    back.changeInput(isOfSource: true) { ($0.status, $0.detected) = (.ready, .hd) }
    let device = try engine.device("0")
    await eventually("the signal is there") { await device.run { $0.stream?.hub.noSignal } == nil }
    back.emit()
    #expect(await watch.next()?.kind == .interruptionEnded)
    await engine.shutDown()
  }

  @Test func aCardThatIsPluggedInAgainAndAgainIsTriedOnceAtATime() async throws {
    var camera = Self.card()
    let provider = FakeProvider([camera])
    let (engine, session, watch) = try await door(provider)
    let gate = await session.gate
    for _ in 0..<4 {
      provider.unplug(camera)
      #expect(await watch.next()?.kind == .interrupted(.cameraUnplugged))
      camera = Self.card()
      camera.changeInput(isOfSource: nil) { ($0.signal, $0.detected) = (.fullHD, .fullHD) }
      provider.plug(camera)
      #expect(await watch.next()?.kind == .interrupted(.cameraSilent))
    }
    // Each attempt waits for its turn once its pause is over; longer than a pause, since none may come.
    try await gate.enter()
    try await Task.sleep(for: .milliseconds(1200))
    await eventually("the next attempt waits") { gate.waitingCount > 0 }
    // The last appearance's own attempt may be late.
    #expect(gate.waitingCount < 3)
    gate.leave()
    await engine.shutDown()
  }

  @Test func aCardThatGoesOnceItsFormatWasRefusedIsAbsent() async throws {
    let camera = Self.card()
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("0")
    let refused = CaptureError(.invalidArgument, "it offers no 1280x720")
    let there = try #require(await device.obstacle(after: refused))
    #expect(there.waitsForSource && there.error == refused)
    provider.unplug(camera)
    await eventually("it is gone") { await device.camera == nil }
    let gone = try #require(await device.obstacle(after: refused))
    #expect(!gone.waitsForSource && gone.error.details?.reason == .cameraUnplugged)
    // One that is back has its source once its input is known.
    let back = Self.card()
    back.state.withLock { $0.holdsInputs = true }
    provider.plug(back)
    await eventually("it is back") { back.isHolding }
    let obstacle = Task { await device.obstacle(after: refused) }
    back.releaseEverything()
    #expect(await obstacle.value?.waitsForSource == true)
    // An attempt that failed before it was back says nothing about it.
    #expect(await device.obstacle(after: gone.error) == nil)
  }

  @Test(arguments: [true, false])
  func aStoredSessionThatWasRefusedIsMadeOnceTheSourceHasItsFormat(isTold: Bool) async throws {
    let store = TestStore()
    let first = CaptureEngine(imaging: .fake(), store: store)
    await first.attach(FakeProvider([Self.card()]))
    _ = try await first.configureSession(
      "door", .of("0", preset: .hd1280x720), starts: true, owner: someone)
    await first.shutDown()
    let camera = Self.card()
    camera.changeInput(isOfSource: nil) { ($0.signal, $0.detected) = (.fullHD, .fullHD) }
    let second = CaptureEngine(imaging: .fake(), store: store)
    await second.attach(FakeProvider([camera]))
    // All attempts of the camera's appearance come before this one.
    await second.restoreSessions()
    await eventually("it waits for another source") {
      (try? await second.sessionStatus("door"))?.interruption?.contains("1920x1080") == true
    }
    if isTold {
      camera.changeInput(isOfSource: true) { $0.detected = .hd }
    } else {
      // Another program has set it, which the next reading finds.
      camera.changeInput(isOfSource: nil) { ($0.signal, $0.detected) = (.hd, .hd) }
      _ = try await second.device("0").formats()
    }
    await eventually("it streams") { camera.state.withLock { $0.stream?.size } == Self.hd }
    #expect(try await second.sessionStatus("door").interruption == nil)
    await second.shutDown()
  }
}
