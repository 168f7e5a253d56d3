import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Changes of one session that wait for the disk at the same time, which refuses some of them.
@Suite(.timeLimit(.minutes(1))) struct StoredSessionTests {
  private let store = TestStore()

  private func node(_ cameras: [FakeCamera]) async -> CaptureEngine {
    let engine = CaptureEngine(imaging: .fake(), store: store)
    await engine.attach(FakeProvider(cameras))
    return engine
  }

  /// Ends the write that waits, once one does.
  private func endWrite(fails: Bool) async {
    await eventually("one waits for the disk") { store.writes.waitingCount == 1 }
    store.writes.endFirst(fails: fails)
  }

  /// Closes the session in two calls: the disk refuses the first, and the second waits at the gate meanwhile.
  private func closeTwice(on engine: CaptureEngine, waitingAt gate: Gate) async {
    store.writes.hold()
    let first = Task { await refusal { try await engine.closeSession("door") } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let second = Task { await refusal { try await engine.closeSession("door") } }
    await eventually("its turn comes later") { gate.waitingCount == 1 }
    await endWrite(fails: true)
    #expect(await first.value?.code == .unavailable)
    #expect(await engine.sessions().map(\.name) == ["door"])
    await endWrite(fails: false)
    #expect(await second.value == nil)
    #expect(store.sessions.isEmpty)
    #expect(await engine.sessions().isEmpty)
    await engine.shutDown()
  }

  @Test func aChangeAndACloseThatAreRefusedLeaveItAsItWas() async throws {
    let engine = await node([FakeCamera("a")])
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let (session, before) = (try await engine.session("door"), store.sessions)
    store.writes.hold()
    let configuring = Task {
      await refusal {
        _ = try await engine.configureSession("door", .of("a", .jpegHD), owner: someone)
      }
    }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let closing = Task { await refusal { try await engine.closeSession("door") } }
    await eventually("its turn comes later") { await session.gate.waitingCount == 1 }
    await endWrite(fails: true)
    #expect(await configuring.value?.code == .unavailable)
    await endWrite(fails: true)
    #expect(await closing.value?.code == .unavailable)
    #expect(store.sessions == before && !before.isEmpty)
    #expect(await engine.sessions().map(\.name) == ["door"])
    await engine.shutDown()
  }

  @Test func aCloseThatIsRefusedBringsNothingBackThatAnotherHasClosed() async throws {
    let engine = await node([FakeCamera("a")])
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    await closeTwice(on: engine, waitingAt: session.gate)
  }

  @Test func soItIsWithOneThatWaitsForItsCamera() async throws {
    let before = await node([FakeCamera("a")])
    _ = try await before.configureSession("door", .of("a", .rawVGA), owner: someone)
    await before.shutDown()
    let engine = await node([])
    await closeTwice(on: engine, waitingAt: engine.sessionTable.storing)
  }

  /// A driver that takes long may outlast the patience of whoever closes its session.
  @Test func aCloseWhoseCallerGivesUpIsDoneWhenItsTurnComes() async throws {
    let engine = await node([FakeCamera("a")])
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    let gate = await session.gate
    try await gate.enter()
    let closing = Task { await refusal { try await engine.closeSession("door") } }
    await eventually("its turn comes later") { gate.waitingCount == 1 }
    closing.cancel()
    gate.leave()
    #expect(await closing.value == nil)
    #expect(store.sessions.isEmpty)
    #expect(await engine.sessions().isEmpty)
    await engine.shutDown()
  }

  @Test func aStartIsKeptThoughACloseBeforeItIsRefused() async throws {
    let engine = await node([FakeCamera("a")])
    _ = try await engine.configureSession("door", .of("a", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    store.writes.hold()
    let closing = Task { await refusal { try await engine.closeSession("door") } }
    await eventually("it waits for the disk") { store.writes.waitingCount == 1 }
    let starting = Task { try await session.start() }
    await eventually("its turn comes later") { await session.gate.waitingCount == 1 }
    await endWrite(fails: true)
    #expect(await closing.value?.code == .unavailable)
    #expect(try await starting.value.isRunning)
    #expect(store.sessions["door"]?.isRunning == true)
    await engine.shutDown()
  }
}
