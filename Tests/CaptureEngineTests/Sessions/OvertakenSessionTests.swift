import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What a session's camera does while the session is busy with it, and what it tells too late.
@Suite(.timeLimit(.minutes(1))) struct OvertakenSessionTests {
  private struct Door {
    let camera = FakeCamera("a")
    let provider: FakeProvider
    let engine: CaptureEngine
    let device: Device
    let session: Session
    let watch: SessionWatch

    init() async throws {
      provider = FakeProvider([camera])
      engine = CaptureEngine(imaging: .fake())
      await engine.attach(provider)
      device = try engine.device("a")
      _ = try await engine.configureSession("door", .of("a", .rawVGA), starts: true, owner: someone)
      session = try await engine.session("door")
      watch = try await session.watch()
      _ = await watch.next()
    }
  }

  /// As of a driver that held its thread until the camera had been plugged in again.
  @Test func whatAFormerStreamTellsLateDisturbsNoOther() async throws {
    let door = try await Door()
    let viewer = try await door.session.subscribe(.rawVGA, output: "", sink: TestSink(), holder: "1")
    let former = try #require(await door.device.run { $0.stream?.hub })
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    door.provider.plug(back)
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    former.streamEvent(.interrupted(reason: "no frames"))
    former.streamEvent(.ended(CaptureError(.unavailable, "it is gone")))
    former.received(TakenFrame.ofPhoto(7, bytes: 1).frame)
    #expect(!former.wantsFrame(sequence: 8, timestamp: 1))
    // The session has heard of all that before it answers.
    #expect(await door.session.status().interruption == nil)
    #expect(await door.device.run { $0.context.timeline.latestTime } == nil)
    #expect(await door.device.status().subscribers == 1)
    #expect(back.state.withLock(\.starts) == 1)
    await door.session.unsubscribe(viewer)
    await door.engine.shutDown()
  }
}
