import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

extension CaptureEngine {
  /// A session that somebody has not configured.
  fileprivate func leaveUnmade(_ name: String, owner: SessionOwner) -> Session {
    let session = Session(
      name: name, isNamed: true, owner: owner,
      saved: SavedSession(store: store, name: name, storing: sessionTable.storing))
    sessionTable.sessions[name] = session
    return session
  }
}

@Suite(.timeLimit(.minutes(1))) struct SessionTests {
  private let laptop = SessionOwner(connection: 1, name: "laptop", client: "laptop")
  private let phone = SessionOwner(connection: 2, name: "phone", client: "phone")

  @Test func aStartedSessionRunsItsCameraWithoutAnybodyLooking() async throws {
    let camera = FakeCamera("a")
    let engine = await engine(camera)
    let made = try await engine.configureSession("door", .of("0", .rawVGA), owner: someone)
    #expect(made.name == "door" && made.isNamed && !made.isRunning && made.revision == 1)
    #expect(made.configuration.inputs[0].camera == "a")
    #expect(camera.state.withLock(\.stream) == nil)
    let session = try await engine.session("door")
    let running = try await session.start()
    #expect(running.isRunning && running.activeFormats.first??.size == FrameSize(width: 640, height: 480))
    #expect(camera.state.withLock(\.stream?.pixelFormat) == .yuyv)
    let stopped = try await session.stop()
    #expect(!stopped.isRunning && stopped.activeFormats == [nil])
    #expect(camera.state.withLock(\.stops) == 1)
  }

  @Test func aSubscriberWaitsForTheStartAndForTheNextOne() async throws {
    let camera = FakeCamera("a")
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    let sink = TestSink()
    let subscription = try await session.subscribe(.rawVGA, output: "video", sink: sink, holder: "1")
    #expect(sink.received.last?.interruption?.contains("does not run") == true)
    _ = try await session.start()
    for _ in 0..<3 {
      camera.emit()
      _ = sink.received
    }
    await eventually("frames come") { sink.received.count == 4 }
    #expect(sink.received[1].gap.discontinuity?.kind == .resumed)
    _ = try await session.stop()
    #expect(sink.received.last?.interruption?.contains("was stopped") == true)
    _ = try await session.start()
    camera.emit()
    await eventually("frames come again") { sink.received.last?.picture?.description.sequence == 0 }
    #expect(sink.received.last?.gap.discontinuity?.kind == .resumed)
    #expect(sink.received.last?.gap.discarded == 0 && sink.received.last?.gap.thinned == 0)
    #expect(await session.status().subscribers == 1)
    await session.unsubscribe(subscription)
    #expect(await session.status().subscribers == 0)
  }

  @Test func aCameraIsInOneSessionAtATime() async throws {
    let (first, second) = (FakeCamera("a"), FakeCamera("b"))
    let engine = await engine(first, second)
    _ = try await engine.configureSession("door", .of("a"), owner: someone)
    let other = await refusal { _ = try await engine.configureSession("yard", .of("a"), owner: someone) }
    #expect(other?.code == .failedPrecondition)
    #expect(other?.message.contains("'a' is in the session 'door'") == true)
    #expect(await engine.sessions().map(\.name) == ["door"])
    let device = try engine.device("a")
    let direct = await refusal {
      _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    }
    #expect(direct?.message.contains("in the session 'door'") == true)
    let photo = await refusal { _ = try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    #expect(photo?.code == .failedPrecondition)

    let holder = try await engine.device("b").subscribe(.rawVGA, sink: TestSink(), holder: "client 9")
    let taken = await refusal { _ = try await engine.configureSession("yard", .of("b"), owner: someone) }
    #expect(taken?.message.contains("'b' streams 640x480 YUYV for client 9") == true)
    await (try engine.device("b")).unsubscribe(holder)
    _ = try await engine.configureSession("yard", .of("b"), owner: someone)
    try await engine.closeSession("door")
    let free = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    await device.unsubscribe(free)
  }

  @Test func whatOneClientCannotMakeAnotherCanThatWaitsBehindIt() async throws {
    let (camera, store) = (FakeCamera("a"), TestStore())
    let engine = CaptureEngine(imaging: .fake(), store: store)
    await engine.attach(FakeProvider([camera]))
    camera.state.withLock { $0.holdsStarting = true }
    let first = Task {
      try await engine.configureSession("door", .of("a"), starts: true, owner: laptop)
    }
    await eventually("its camera is to start") { camera.state.withLock { $0.heldStarting.count } == 1 }
    let session = try await engine.session("door")
    let second = Task {
      try await engine.configureSession("door", .of("a"), starts: true, owner: phone)
    }
    await eventually("the second waits") { await session.gate.waitingCount == 1 }
    camera.releaseStart(failing: CaptureError(.unavailable, "it does not answer"), holdsNext: true)
    #expect(await refusal { _ = try await first.value }?.code == .unavailable)
    camera.releaseStart()
    #expect(try await second.value.isRunning)
    #expect(await engine.sessions().map(\.owner) == ["phone"])
    #expect(store.sessions["door"]?.client == "phone")
    #expect(await engine.clientsRevoked(["laptop"]) == RevokedSessions())
    #expect(await engine.clientsRevoked(["phone"]) == RevokedSessions(closed: ["door"]))
    await engine.shutDown()
  }

  /// `isEnded`: it has ended when the other client comes to it; otherwise whoever has made it will not configure it any more.
  @Test(arguments: [false, true])
  func oneThatWasNeverMadeIsMadeAnewForWhoeverFindsIt(isEnded: Bool) async throws {
    let engine = await engine(FakeCamera("a"))
    let found = await engine.leaveUnmade("door", owner: laptop)
    if isEnded { await found.close(found.notMade) }
    #expect(try await engine.configureSession("door", .of("a"), owner: phone).owner == "phone")
    #expect(await engine.sessions().map(\.owner) == ["phone"])
    #expect(await found.endReason == found.notMade)
    await engine.shutDown()
  }

  @Test func oneThatWasNeverMadeIsNeitherStartedNorStored() async throws {
    let store = TestStore()
    let engine = CaptureEngine(imaging: .fake(), store: store)
    let found = await engine.leaveUnmade("door", owner: laptop)
    #expect(await refusal { _ = try await found.start() } == found.notMade)
    #expect(await refusal { _ = try await found.stop() } == found.notMade)
    #expect(await !found.isRunning)
    #expect(store.sessions["door"] == nil)
    await engine.shutDown()
  }

  @Test func sessionsWithoutANameEndWithTheirOwnersConnection() async throws {
    let engine = await engine(FakeCamera("a"), FakeCamera("b"))
    let unnamed = try await engine.configureSession("", .of("a"), owner: someone)
    #expect(unnamed.name == "session-1" && !unnamed.isNamed)
    _ = try await engine.configureSession("door", .of("b"), owner: someone)
    let sink = TestSink()
    let subscription = try await engine.session("session-1").subscribe(
      VideoRequest(), output: "", sink: sink, holder: "2")
    await engine.connectionClosed(2)
    #expect(await engine.sessions().count == 2)
    await engine.connectionClosed(1)
    #expect(await engine.sessions().map(\.name) == ["door"])
    #expect(await refusal { try await subscription.waitUntilEnded() }?.code == .unavailable)
    #expect(await refusal { _ = try await engine.session("session-1") }?.code == .notFound)
  }

  @Test func photosComeFromTheRunningStream() async throws {
    let camera = FakeCamera("a")
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    let early = await refusal {
      _ = try await session.capturePhoto(PhotoRequest(VideoRequest()), output: "", requested: 0) { _ in }
    }
    #expect(early?.message.contains("does not run") == true)
    _ = try await session.start()
    async let photo = session.capturePhoto(PhotoRequest(VideoRequest()), output: "photo", requested: 1) { _ in
    }
    let taking = Task {
      while !Task.isCancelled {
        camera.emit()
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    #expect(try await photo.picture.description.size == FrameSize(width: 640, height: 480))
    taking.cancel()
    #expect(camera.state.withLock(\.starts) == 1 && camera.state.withLock(\.stops) == 0)
  }

  @Test func outputsAreNamedWhereThereAreSeveral() async throws {
    let engine = await engine(FakeCamera("a"))
    var configuration = SessionConfiguration.of("a")
    configuration.outputs.append(.init(name: "small", kind: .video))
    _ = try await engine.configureSession("door", configuration, owner: someone)
    let session = try await engine.session("door")
    for (output, code, text) in [
      ("", CaptureError.Code.invalidArgument, "'video', 'small'"), ("photo", .notFound, "'video', 'small'"),
      ("sound", .notFound, "'sound'"),
    ] {
      let error = await refusal {
        _ = try await session.subscribe(VideoRequest(), output: output, sink: TestSink(), holder: "1")
      }
      #expect(error?.code == code && error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
    let larger = await refusal {
      _ = try await session.subscribe(
        VideoRequest(size: FrameSize(width: 1920, height: 1080)), output: "video", sink: TestSink(),
        holder: "1")
    }
    #expect(larger?.message.contains("for the session 'door'") == true, "\(larger?.message ?? "")")
  }

  @Test func aSessionWithoutAPhotoOutputSaysSo() async throws {
    let engine = await engine(FakeCamera("a"))
    var configuration = SessionConfiguration.of("a")
    configuration.outputs.removeAll { $0.kind == .photo }
    _ = try await engine.configureSession("door", configuration, owner: someone)
    let session = try await engine.session("door")
    let error = await refusal { _ = try await session.photoInput(output: "") }
    #expect(error?.code == .notFound && error?.message == "the session 'door' has no photo output")
  }

  @Test func shuttingDownIsAnInterruptionAndEndsSubscribers() async throws {
    let engine = await engine(FakeCamera("a"))
    _ = try await engine.configureSession("door", .of("a"), starts: true, owner: someone)
    let session = try await engine.session("door")
    let watch = try await session.watch()
    let subscription = try await session.subscribe(VideoRequest(), output: "", sink: TestSink(), holder: "1")
    await engine.shutDown()
    #expect(await refusal { try await subscription.waitUntilEnded() }?.code == .unavailable)
    #expect(await watch.next()?.kind == .status)
    #expect(await watch.next()?.kind == .interrupted(.nodeDraining))
    // It is not closed: with the next node it is there again.
    #expect(await watch.next() == nil)
    #expect(await session.endReason?.details?.reason == .nodeDraining)
  }

  @Test func frameDurationsThatItsFormatIsBeyondAreRefused() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    var format = ActiveFormat.rawVGA
    format.interval = FrameInterval(rate: 15)
    _ = try await engine.configureSession("door", .of("fake-0", format), starts: true, owner: someone)
    let device = try engine.device("0")
    var change = SettingsChange()
    change.frameDuration = .init(maximum: FrameInterval(rate: 30))
    let error = await #expect(throws: CaptureError.self) { try await device.set(change) }
    #expect(error?.code == .failedPrecondition && error?.message.contains("asks for 15 fps") == true)
    #expect(try await device.settings().frameDuration == nil)
    #expect(try await engine.session("door").status().isRunning)
    change.frameDuration = .init(maximum: FrameInterval(rate: 15))
    _ = try await device.set(change)
    await engine.shutDown()
  }

  @Test func itsStreamKeepsToNewFrameDurationsAtOnceAndItKnows() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("fake-0", .rawVGA), starts: true, owner: someone)
    let session = try await engine.session("door")
    let device = try engine.device("0")
    let sink = TestSink()
    _ = try await session.subscribe(.rawVGA, output: "video", sink: sink, holder: "1")
    let watch = try await session.watch()
    #expect(await watch.next()?.kind == .status)
    var change = SettingsChange()
    for (minimum, rate) in [(FrameInterval(rate: 15), 15.0), (nil, 30)] {
      change.frameDuration = .init(minimum: minimum)
      let set = try await device.set(change)
      #expect(camera.state.withLock { $0.stream?.interval?.rate } == rate)
      async let applied = device.awaitChange(set.change)
      camera.emit()
      camera.emit()
      #expect(try await applied.frame?.sequence == 0)
      await eventually("the viewer goes on") {
        sink.received.contains {
          $0.gap.discontinuity
            == StreamDiscontinuity(.reconfigured, reason: "frames come at \(Int(rate)) fps now")
        }
      }
      let event = await watch.next()
      #expect(event?.kind == .status && event?.status.activeFormats.first??.interval?.rate == rate)
    }
    #expect(camera.state.withLock(\.starts) == 3)
    // So does one that is started later.
    _ = try await session.stop()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    _ = try await device.set(change)
    _ = try await session.start()
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 15)
    await engine.shutDown()
  }

  /// It hears that its stream has ended, and tries again.
  @Test func aStreamThatRunsNeitherWithNewFrameDurationsNorAsBeforeIsStartedAnew() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    _ = try await engine.configureSession("door", .of("fake-0", .rawVGA), starts: true, owner: someone)
    let device = try engine.device("0")
    camera.state.withLock { $0.holdsStarting = true }
    let change = Task {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      _ = try await device.set(change)
    }
    func isStarting() -> Bool { camera.state.withLock { !$0.heldStarting.isEmpty } }
    let refused = CaptureError(.resourceExhausted, "no bandwidth")
    await eventually("it is started with the new bounds") { isStarting() }
    camera.releaseStart(failing: refused, holdsNext: true)
    await eventually("it is started as it was") { isStarting() }
    camera.releaseStart(failing: refused)
    await #expect(throws: CaptureError.self) { try await change.value }
    await eventually("the session has started it") { camera.state.withLock { $0.stream != nil } }
    #expect(try await engine.session("door").status().isRunning)
    await engine.shutDown()
  }

  @Test func aCameraWithAFrameDurationOfItsOwnRunsAtThatUnlessOneIsAskedFor() async throws {
    let size = SizeOption(discrete: FrameSize(width: 640, height: 480), intervals: .unknown)
    let camera = FakeCamera(formats: [
      FormatDescription(pixelFormat: .yuyv, description: "YUYV", isCompressed: false, sizes: [size])
    ])
    camera.state.withLock { $0.hasOwnInterval = true }
    let engine = await engine(camera)
    let made = try await engine.configureSession(
      "door", .of("fake-0", preset: .high), starts: true, owner: someone)
    #expect(made.isRunning && made.activeFormats.first??.size == size.minimum)
    #expect(made.activeFormats.first??.interval == nil)
    var format = ActiveFormat.rawVGA
    format.interval = FrameInterval(rate: 30)
    let exact = await #expect(throws: CaptureError.self) {
      try await engine.configureSession("door", .of("fake-0", format), starts: true, owner: someone)
    }
    #expect(exact?.code == .invalidArgument)
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 15))
    let bound = await #expect(throws: CaptureError.self) { try await engine.device("0").set(change) }
    #expect(bound?.code == .invalidArgument)
    let status = try await engine.session("door").status()
    #expect(status.isRunning && status.configuration.preset == .high)
    #expect(camera.state.withLock { $0.stream != nil })
    await engine.shutDown()
  }

  @Test func boundsThatItsFormatIsWithinChangeNothing() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    var format = ActiveFormat.rawVGA
    format.interval = FrameInterval(rate: 15)
    _ = try await engine.configureSession("door", .of("fake-0", format), starts: true, owner: someone)
    var change = SettingsChange()
    change.frameDuration = .init(minimum: FrameInterval(rate: 30))
    _ = try await engine.device("0").set(change)
    #expect(camera.state.withLock { $0.stream?.interval?.rate } == 15)
    #expect(camera.state.withLock(\.starts) == 1)
    await engine.shutDown()
  }
}
