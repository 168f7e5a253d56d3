import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct RestoredSessionTests {
  private let store = TestStore()

  private func node(_ cameras: [FakeCamera]) async -> (CaptureEngine, FakeProvider) {
    let provider = FakeProvider(cameras)
    let engine = CaptureEngine(imaging: .fake(), store: store)
    await engine.attach(provider)
    return (engine, provider)
  }

  private func names(_ engine: CaptureEngine) async -> [String] { await engine.sessions().map(\.name) }

  @Test func aSessionThatRanRunsAgain() async throws {
    let (first, _) = await node([FakeCamera("a")])
    let made = try await first.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
    await first.shutDown()
    let camera = FakeCamera("a")
    let (second, _) = await node([camera])
    let status = try #require(await second.sessions().first)
    #expect(status.name == "door" && status.isNamed && status.owner == someone.name)
    #expect(status.configuration == made.configuration)
    await eventually("it streams") {
      camera.state.withLock { $0.stream?.size } == FrameSize(width: 640, height: 480)
    }
    await second.shutDown()
  }

  /// A node that is killed meanwhile is not to forget that it ran.
  @Test func aSessionThatRanIsNotKeptAsStoppedWhileItIsMadeAgain() async throws {
    let (first, _) = await node([FakeCamera("a")])
    _ = try await first.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
    await first.shutDown()
    let before = store.sessionSaves.count
    let camera = FakeCamera("a")
    let (second, _) = await node([camera])
    await eventually("it streams") { camera.state.withLock { $0.stream != nil } }
    #expect(store.sessionSaves.dropFirst(before).allSatisfy { $0?.isRunning == true })
    #expect(store.sessions["door"]?.isRunning == true)
    await second.shutDown()
  }

  @Test func oneThatIsStoppedWhileItIsMadeAgainStaysStopped() async throws {
    store.save(SessionMemory(.of("a", .rawVGA), isRunning: true, owner: someone.name), named: "door")
    let camera = FakeCamera("a")
    camera.state.withLock { $0.holdsFormats = true }
    let engine = CaptureEngine(imaging: .fake(), store: store)
    let attaching = Task { await engine.attach(FakeProvider([camera])) }
    await eventually("it is being made") { camera.state.withLock { !$0.heldFormats.isEmpty } }
    let session = try await engine.session("door")
    let stopping = Task { try await session.stop() }
    let gate = await session.gate
    await eventually("the stop waits for that") { gate.waitingCount == 1 }
    camera.releaseFormats()
    await attaching.value
    let stopped = try await stopping.value
    #expect(!stopped.isRunning)
    #expect(await session.status().isRunning == false)
    #expect(store.sessions["door"]?.isRunning == false)
    await engine.shutDown()
  }

  @Test func aSessionThatWasStoppedDoesNotRunAndOneThatWasClosedIsGone() async throws {
    let (first, _) = await node([FakeCamera("a"), FakeCamera("b")])
    _ = try await first.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
    _ = try await first.session("door").stop()
    _ = try await first.configureSession("window", .of("b", .rawVGA), starts: true, owner: someone)
    try await first.closeSession("window")
    await first.shutDown()
    let (second, _) = await node([FakeCamera("a"), FakeCamera("b")])
    #expect(await names(second) == ["door"])
    #expect(await second.sessions().first?.isRunning == false)
    await second.shutDown()
  }

  @Test func itWaitsForItsCamera() async throws {
    let (first, _) = await node([FakeCamera("a")])
    _ = try await first.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
    await first.shutDown()
    let (second, provider) = await node([FakeCamera("b")])
    let waiting = try await second.sessionStatus("door")
    #expect(await second.sessions() == [waiting])
    #expect(waiting.isRunning && waiting.interruption == "'a' is not there")
    let error = await refusal { _ = try await second.session("door") }
    #expect(error?.code == .unavailable && error?.message == "the session 'door' waits: 'a' is not there")
    let camera = FakeCamera("a")
    provider.plug(camera)
    await eventually("it runs") { camera.state.withLock { $0.stream != nil } }
    #expect(await names(second) == ["door"])
    await second.shutDown()
    let (third, _) = await node([FakeCamera("b")])
    // A configuration that fails leaves it as it is.
    let size = FrameSize(width: 1, height: 1)
    let failed = await refusal {
      _ = try await third.configureSession(
        "door", .of("b", ActiveFormat(pixelFormat: .yuyv, size: size)), owner: someone)
    }
    #expect(failed != nil)
    #expect(await names(third) == ["door"])
    // One that still waits can be forgotten.
    try await third.closeSession("door")
    #expect(store.sessions.isEmpty)
    #expect(await refusal { try await third.closeSession("door") }?.code == .notFound)
  }

  @Test func oneWhoseDriverHangsHoldsUpNoOther() async throws {
    let (first, _) = await node([FakeCamera("a"), FakeCamera("b")])
    _ = try await first.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
    _ = try await first.configureSession("window", .of("b", .rawVGA), starts: true, owner: someone)
    await first.shutDown()
    let (a, b) = (FakeCamera("a"), FakeCamera("b"))
    a.state.withLock { $0.holdsFormats = true }
    let second = CaptureEngine(imaging: .fake(), store: store)
    let attaching = Task { await second.attach(FakeProvider([a, b])) }
    await eventually("the other one streams") { b.state.withLock { $0.stream != nil } }
    #expect(a.state.withLock { $0.stream == nil })
    a.releaseFormats()
    await attaching.value
    await eventually("it streams, too") { a.state.withLock { $0.stream != nil } }
    #expect(await names(second) == ["door", "window"])
    await second.shutDown()
  }

  @Test func oneThatWaitsForACameraHoldsUpNoOther() async throws {
    // The second shares cameras with both others, and one of its cameras is not there.
    var wide = SessionConfiguration.of("a", .rawVGA)
    wide.inputs += [.init(camera: "b"), .init(camera: "c")]
    let sessions: [(String, SessionConfiguration)] = [
      ("door", .of("a", .rawVGA)), ("gate", wide), ("window", .of("b", .rawVGA)),
    ]
    for (name, configuration) in sessions {
      store.save(SessionMemory(configuration, isRunning: true, owner: someone.name), named: name)
    }
    let (a, b) = (FakeCamera("a"), FakeCamera("b"))
    a.state.withLock { $0.holdsFormats = true }
    let engine = CaptureEngine(imaging: .fake(), store: store)
    let attaching = Task { await engine.attach(FakeProvider([a, b])) }
    await eventually("the last one streams") { b.state.withLock { $0.stream != nil } }
    #expect(a.state.withLock { $0.stream == nil })
    a.releaseFormats()
    await attaching.value
    #expect(try await engine.sessionStatus("gate").interruption == "'c' is not there")
    await engine.shutDown()
  }

  /// They were made while the camera that one of them waits for was away.
  @Test func ofTwoWithTheSameCameraTheFirstByNameHasIt() async throws {
    for name in ["window", "door"] {
      store.save(SessionMemory(.of("a", .rawVGA), isRunning: true, owner: someone.name), named: name)
    }
    let camera = FakeCamera("a")
    camera.state.withLock { $0.holdsFormats = true }
    let engine = CaptureEngine(imaging: .fake(), store: store)
    let attaching = Task { await engine.attach(FakeProvider([camera])) }
    await eventually("the first one asks for its formats") {
      !camera.state.withLock { $0.heldFormats.isEmpty }
    }
    camera.releaseFormats()
    await attaching.value
    #expect(try await engine.session("door").status().isRunning)
    #expect(try await engine.sessionStatus("window").interruption?.contains("'door'") == true)
    await engine.shutDown()
  }

  @Test func oneThatIsClosedBeforeItsTurnStaysClosed() async throws {
    // Both want a camera that came back.
    for (name, camera) in [("door", "a"), ("window", "b")] {
      var configuration = SessionConfiguration.of(camera)
      configuration.inputs.append(.init(camera: "c"))
      store.save(SessionMemory(configuration, isRunning: false, owner: someone.name), named: name)
    }
    let a = FakeCamera("a")
    let (engine, provider) = await node([a])
    a.state.withLock { $0.holdsStarting = true }
    let device = try engine.device("a")
    let viewer = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("its camera is to start") { a.state.withLock { $0.heldStarting.count } == 1 }
    provider.plug(FakeCamera("c"))
    await eventually("the door waits for it") { await device.gates.stream.waitingCount == 1 }
    provider.plug(FakeCamera("b"))
    await eventually("the window's camera is there") { engine.cameras.count == 3 }
    try await engine.closeSession("window")
    // The viewer keeps the camera, so the door is refused, and the third camera is free.
    a.releaseStart()
    _ = try await viewer.value
    await engine.restoreSessions()
    #expect(await names(engine) == ["door"])
    #expect(store.sessions.keys.sorted() == ["door"])
    #expect(try await engine.sessionStatus("door").interruption != nil)
    await engine.shutDown()
  }
}
