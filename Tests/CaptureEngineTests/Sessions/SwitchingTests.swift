import CaptureControls
import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SwitchingTests {
  /// A running session "door" of the camera "a" with a viewer, and another camera "b".
  private struct Door {
    let a = FakeCamera("a", bus: "usb-x-1")
    let b = FakeCamera("b", bus: "usb-x-2")
    let engine: CaptureEngine
    let session: Session
    let sink = TestSink()
    let viewer: SessionSubscription

    init(
      _ format: ActiveFormat = .rawVGA, _ request: VideoRequest = .rawVGA,
      controls: [ControlDescription] = []
    ) async throws {
      a.state.withLock { $0.controls = controls }
      engine = CaptureEngine(imaging: .fake())
      await engine.attach(FakeProvider([a, b]))
      _ = try await engine.configureSession("door", .of("a", format), starts: true, owner: someone)
      session = try await engine.session("door")
      viewer = try await session.subscribe(request, output: "video", sink: sink, holder: "1")
    }

    func configure(_ configuration: SessionConfiguration) async throws -> SessionStatus {
      try await engine.configureSession("door", configuration, owner: someone)
    }

    /// The camera gives so many frames, each delivered before the next.
    func emit(_ camera: FakeCamera, _ count: Int = 1) {
      for _ in 0..<count {
        camera.emit()
        _ = sink.received
      }
    }
  }

  @Test func anotherCameraKeepsTheSubscribersStream() async throws {
    let door = try await Door()
    door.emit(door.a, 3)
    let watch = try await door.session.watch()
    let status = try await door.configure(.of("b", .rawVGA))
    #expect(status.revision == 2 && status.configuration.inputs[0].camera == "b")
    door.emit(door.b, 2)
    let received = door.sink.received
    #expect(received.map { $0.picture?.description.sequence } == [0, 1, 2, 0, 1])
    #expect(
      received[3].gap.discontinuity
        == StreamDiscontinuity(
          .reconfigured, reason: "the session 'door' has the camera 'b' now instead of 'a'"))
    #expect(received[3].gap.discarded == 0 && received[4].gap.discontinuity == nil)
    #expect(door.a.state.withLock(\.stream) == nil && door.b.state.withLock(\.starts) == 1)
    #expect(await watch.next()?.kind == .status)
    #expect(await watch.next()?.kind == .configured)
    // The old one is free.
    _ = try await door.engine.device("a").subscribe(.rawVGA, sink: TestSink(), holder: "2")
  }

  @Test func whatIsMissedInASwitchIsAccountedFor() async throws {
    let door = try await Door()
    let slow = TestSink(credit: 1)
    _ = try await door.session.subscribe(.rawVGA, output: "video", sink: slow, holder: "2")
    door.emit(door.a, 1)
    await eventually("the first frame came") { slow.received.count == 1 }
    for _ in 0..<3 { door.emit(door.a, 1) }
    _ = try await door.configure(.of("b", .rawVGA))
    door.emit(door.b, 2)
    slow.grant(1)
    await eventually("the next frame came") { slow.received.count == 2 }
    let next = slow.received[1]
    // Three of the one camera, one of the other.
    #expect(next.picture?.description.sequence == 1 && next.gap.discarded == 4)
    #expect(next.gap.discontinuity?.kind == .reconfigured)
  }

  @Test func aFailedChangeLeavesEverythingAsItWas() async throws {
    let door = try await Door()
    door.emit(door.a)
    door.b.state.withLock { $0.startError = CaptureError(.failedPrecondition, "busy") }
    #expect(await refusal { _ = try await door.configure(.of("b", .rawVGA)) }?.message == "busy")
    door.emit(door.a)
    #expect(door.sink.received.map { $0.picture?.description.sequence } == [0, 1])
    #expect(door.sink.received[1].gap.discontinuity == nil)
    #expect(await door.session.status().revision == 1)
    _ = try await door.engine.device("b").subscribe(.rawVGA, sink: TestSink(), holder: "2")

    // Another format of the same camera has to stop it first.
    door.a.state.withLock { $0.startError = CaptureError(.unavailable, "no") }
    #expect(await refusal { _ = try await door.configure(.of("a", .rawHD)) }?.message == "no")
    #expect(door.a.state.withLock(\.stream?.size) == FrameSize(width: 640, height: 480))
    door.emit(door.a)
    #expect(door.sink.received.last?.gap.discontinuity?.reason == "a change failed: no")
    let wrong = await refusal { _ = try await door.configure(.of("a", preset: .cif352x288)) }
    #expect(wrong?.code == .invalidArgument)
    #expect(await door.session.status().configuration.preset == .vga640x480)
  }

  @Test func aSubscriberGetsTheNearestThatTheNewFormatGives() async throws {
    let door = try await Door(.rawVGA, .jpegVGA(quality: 50))
    _ = try await door.configure(.of("a", .rawHD))
    door.emit(door.a)
    await eventually("a picture came") { !door.sink.received.isEmpty }
    let first = try #require(door.sink.received.first)
    #expect(first.picture?.description.size == FrameSize(width: 640, height: 360))
    #expect(first.gap.discontinuity?.reason == "'a' streams 1280x720 YUYV at 10 fps now")
  }

  @Test func aSubscriberWhoseFormatIsGoneIsToldWhy() async throws {
    let door = try await Door()
    _ = try await door.configure(.of("a", .jpegHD))
    let end = await refusal { try await door.viewer.waitUntilEnded() }
    #expect(end?.code == .failedPrecondition)
    #expect(end?.message.contains("streams 1280x720 MJPG at 30 fps for the session 'door'") == true)
    #expect(await door.session.status().subscribers == 0)
    var without = SessionConfiguration.of("a", .jpegHD)
    let late = try await door.session.subscribe(
      VideoRequest(), output: "video", sink: TestSink(), holder: "2")
    without.outputs.removeFirst()
    _ = try await door.configure(without)
    let removed = await refusal { try await late.waitUntilEnded() }
    #expect(removed?.message == "the output 'video' was taken out of the session 'door'")
  }

  @Test func aConnectionIsDisabledAndEnabledWhileItRuns() async throws {
    let door = try await Door()
    door.emit(door.a)
    var configuration = SessionConfiguration.of("a", .rawVGA)
    configuration.connections = [SessionConnection(output: "video", isEnabled: false)]
    _ = try await door.configure(configuration)
    door.emit(door.a, 2)
    #expect(door.sink.received.count == 2)
    #expect(door.sink.received[1].interruption?.contains("disabled") == true)
    configuration.connections[0].isEnabled = true
    _ = try await door.configure(configuration)
    door.emit(door.a)
    #expect(door.sink.received.last?.picture?.description.sequence == 3)
    #expect(door.sink.received.last?.gap.discontinuity?.kind == .reconfigured)
    #expect(door.a.state.withLock(\.starts) == 1)
  }

  @Test func aPictureIsTurnedWhileItRuns() async throws {
    let door = try await Door()
    door.emit(door.a)
    var configuration = SessionConfiguration.of("a", .rawVGA)
    configuration.connections = [SessionConnection(output: "video", orientation: 90, isMirrored: true)]
    _ = try await door.configure(configuration)
    door.emit(door.a)
    await eventually("a turned picture came") { door.sink.received.count == 2 }
    let turned = door.sink.received[1]
    #expect(turned.picture?.description.size == FrameSize(width: 480, height: 640))
    #expect(turned.gap.discontinuity?.reason == "a connection of the session 'door' was changed")
    let small = try await door.session.subscribe(
      VideoRequest(size: FrameSize(width: 240, height: 320)), output: "", sink: TestSink(), holder: "2")
    #expect(small.output == "video")
    let lying = await refusal {
      _ = try await door.session.subscribe(.rawVGA, output: "", sink: TestSink(), holder: "3")
    }
    #expect(lying?.code == .failedPrecondition)
  }

  @Test func aCameraThatLeavesHasItsTorchSwitchedOff() async throws {
    let ledMode = ControlDescription(
      id: .flashLEDMode, name: "led_mode", label: "LED Mode", type: .menu, maximum: 2,
      menu: [
        .init(index: 0, content: .name("Off")), .init(index: 1, content: .name("Flash")),
        .init(index: 2, content: .name("Torch")),
      ])
    let door = try await Door(controls: [ledMode])
    var change = SettingsChange()
    change.torch = SettingsChange.Light(mode: .on)
    _ = try await door.engine.device("a").set(change)
    #expect(door.a.state.withLock { $0.values[ledMode.id] } == .integer(2))
    _ = try await door.configure(.of("b", .rawVGA))
    #expect(door.a.state.withLock { $0.values[ledMode.id] } == .integer(0))
  }

  @Test func whereTheBusIsTooNarrowForBothTheOldCameraMakesRoom() async throws {
    let door = try await Door()
    door.b.state.withLock { $0.startError = CaptureError(.resourceExhausted, "full", cause: .noSpace) }
    _ = try await door.configure(.of("b", .rawVGA))
    door.emit(door.b)
    #expect(door.sink.received.last?.gap.discontinuity?.kind == .reconfigured)
    #expect(door.a.state.withLock(\.stops) >= 1 && door.b.state.withLock(\.starts) == 1)
  }

  @Test func twoCamerasThatTheBusCannotCarryAreRefusedNamingWhoHasIt() async throws {
    let door = try await Door()
    door.b.state.withLock {
      $0.startError = CaptureError(
        .resourceExhausted, "/dev/video2: the USB bus has no bandwidth left", cause: .noSpace)
    }
    let error = await refusal {
      _ = try await door.engine.configureSession(
        "yard", .of("b", .rawVGA), starts: true, owner: someone)
    }
    #expect(error?.code == .resourceExhausted)
    #expect(
      error?.message
        == "/dev/video2: the USB bus has no bandwidth left; on that bus 'a' streams 640x480 YUYV at 30 fps")
    #expect(await door.engine.sessions().map(\.name) == ["door"])
  }

  @Test func aChangeOfAnotherRevisionIsRefused() async throws {
    let door = try await Door()
    let error = await refusal {
      _ = try await door.engine.configureSession("door", .of("b"), revision: 7, owner: someone)
    }
    #expect(error?.code == .aborted && error?.message.contains("at revision 1, not 7") == true)
  }

  @Test func twoCamerasRunTogetherEachWithItsOutput() async throws {
    let (a, b) = (FakeCamera("a"), FakeCamera("b"))
    let engine = await engine(a, b)
    let configuration = SessionConfiguration(
      inputs: [.init(camera: "a", format: .rawVGA), .init(camera: "b", format: .rawHD)],
      outputs: [.init(name: "left", kind: .video), .init(name: "right", kind: .video)],
      connections: [SessionConnection(camera: "1", output: "right")])
    let status = try await engine.configureSession("pair", configuration, starts: true, owner: someone)
    #expect(status.activeFormats.map { $0?.size?.width } == [640, 1280])
    let session = try await engine.session("pair")
    let sinks = [TestSink(), TestSink()]
    for (sink, output) in zip(sinks, ["left", "right"]) {
      _ = try await session.subscribe(
        VideoRequest(encoding: .raw), output: output, sink: sink, holder: output)
    }
    a.emit()
    b.emit()
    #expect(sinks[0].received.map { $0.picture?.description.size.width } == [640])
    #expect(sinks[1].received.map { $0.picture?.description.size.width } == [1280])
    // One that cannot start takes none with it.
    _ = try await session.stop()
    b.state.withLock { $0.startError = CaptureError(.unavailable, "no") }
    #expect(await refusal { _ = try await session.start() } != nil)
    #expect(a.state.withLock(\.stream) == nil)
    #expect(await session.status().isRunning == false)
  }
}
