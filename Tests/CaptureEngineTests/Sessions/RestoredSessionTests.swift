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

  @Test func oneThatIsClosedWhileOthersAreMadeAgainStaysClosed() async throws {
    let (first, _) = await node([FakeCamera("a"), FakeCamera("b"), FakeCamera("c")])
    var both = SessionConfiguration.of("a")
    both.inputs.append(.init(camera: "c"))
    _ = try await first.configureSession("door", both, owner: someone)
    _ = try await first.configureSession("window", .of("b"), owner: someone)
    await first.shutDown()
    let a = FakeCamera("a")
    let (second, provider) = await node([a])
    a.state.withLock { $0.holdsStarting = true }
    let device = try second.device("a")
    let viewer = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("its camera is to start") { a.state.withLock { $0.heldStarting.count } == 1 }
    provider.plug(FakeCamera("c"))
    await eventually("the door waits for it") { await device.gates.stream.waitingCount == 1 }
    provider.plug(FakeCamera("b"))
    await eventually("the window's camera is there") { second.cameras.count == 3 }
    try await second.closeSession("window")
    a.releaseStart(failing: CaptureError(.unavailable, "it does not answer"))
    _ = try? await viewer.value
    await second.restoreSessions()
    #expect(await names(second) == ["door"])
    #expect(store.sessions.keys.sorted() == ["door"])
    #expect(try await second.session("door").status().configuration.inputs.count == 2)
    await second.shutDown()
  }
}
