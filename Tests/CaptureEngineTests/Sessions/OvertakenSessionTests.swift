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

    init(controls: [ControlDescription] = []) async throws {
      camera.state.withLock { $0.controls = controls }
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

  /// A control that a client has set: the camera gets it back with each of its streams, which takes the stream's start a while.
  private static let brightness = ControlDescription(
    id: .brightness, name: "brightness", label: "Brightness", type: .integer, maximum: 255)

  private func doorWithAValueToRestore() async throws -> Door {
    let door = try await Door(controls: [Self.brightness])
    _ = try await door.device.set(
      [NamedAssignment(name: "brightness", value: .value(.integer(77)))], clamping: false)
    return door
  }

  /// The camera is unplugged while it waits with the values of its new stream.
  private func unplug(_ camera: FakeCamera, whileItStartsAt door: Door) async {
    await eventually("it streams, and gets its values") {
      let streams = await door.device.run { $0.stream != nil }
      return streams && camera.state.withLock { !$0.heldControls.isEmpty }
    }
    door.provider.unplug(camera)
    await eventually("it is gone") { await door.device.camera == nil }
    camera.releaseControls()
  }

  @Test func aCameraThatGoesWhileItIsStartedAgainIsNotSaidToGiveFrames() async throws {
    let door = try await doorWithAValueToRestore()
    door.provider.unplug(door.camera)
    #expect(await door.watch.next()?.kind == .interrupted(.cameraUnplugged))
    let back = FakeCamera("a")
    back.state.withLock { ($0.controls, $0.holdsControls) = ([Self.brightness], true) }
    door.provider.plug(back)
    await unplug(back, whileItStartsAt: door)
    // The attempt that has started it is over, and the next one waits.
    let gate = await door.session.gate
    try await gate.enter()
    #expect(await door.session.status().interruption?.contains("was unplugged") == true)
    gate.leave()
    let third = FakeCamera("a")
    door.provider.plug(third)
    #expect(await door.watch.next()?.kind == .interruptionEnded)
    await eventually("it streams") { third.state.withLock { $0.stream != nil } }
    await door.engine.shutDown()
  }

  @Test func aCameraThatGoesWhileAChangeIsTakenBackIsStartedOnceItReturns() async throws {
    let door = try await doorWithAValueToRestore()
    door.camera.state.withLock { state in
      state.startError = CaptureError(.unavailable, "no")
      state.holdsControls = true
    }
    let changing = Task {
      try await door.engine.configureSession("door", .of("a", .rawHD), owner: someone)
    }
    await unplug(door.camera, whileItStartsAt: door)
    #expect(await refusal { _ = try await changing.value }?.message == "no")
    let back = FakeCamera("a")
    door.provider.plug(back)
    await eventually("it streams") { back.state.withLock { $0.stream != nil } }
    await eventually("the session has it") { await door.session.status().activeFormats.first??.size != nil }
    await door.engine.shutDown()
  }
}
