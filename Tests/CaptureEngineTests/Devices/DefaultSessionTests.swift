import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@Suite struct DefaultSessionTests {
  private func refusal(_ body: () async throws -> Void) async -> CaptureError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? CaptureError
    }
  }

  @Test func theFirstSubscriberFixesTheFormatAndALargerRequestIsRefusedNamingHim() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "client 1 (unix)")
    let error = await refusal {
      _ = try await device.subscribe(
        VideoRequest(size: FrameSize(width: 1280, height: 720)), sink: TestSink(), holder: "client 2")
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.contains("640x480 YUYV at 30 fps for client 1 (unix)") == true)
  }

  @Test func theLastOneToLeaveStopsTheStreamAndFreesTheFormat() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let first = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    let second = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "2")
    await device.unsubscribe(first)
    #expect(camera.state.withLock(\.stops) == 0)
    await device.unsubscribe(second)
    #expect(camera.state.withLock(\.stops) == 1)
    _ = try await device.subscribe(
      VideoRequest(size: FrameSize(width: 1280, height: 720)), sink: TestSink(), holder: "3")
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
  }

  @Test func anUnplugEndsStreamsNamingTheCameraAndAReplugKeepsItsIndex() async throws {
    let (camera, other) = (FakeCamera("usb-1"), FakeCamera("usb-2"))
    let provider = FakeProvider([camera, other])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("usb-1")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    provider.unplug(camera)
    let error = await refusal { try await subscription.waitUntilEnded() }
    #expect(error?.code == .unavailable)
    #expect(error?.message == "'usb-1' was unplugged")
    await device.unsubscribe(subscription)
    #expect(engine.cameras.map(\.isPresent) == [false, true])
    let gone = await refusal { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    #expect(gone?.code == .unavailable)

    let back = FakeCamera("usb-1")
    provider.plug(back)
    await eventually("it is back") { engine.cameras.map(\.isPresent) == [true, true] }
    #expect(engine.cameras.map(\.index) == [0, 1])
    _ = try await engine.device("0").subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(back.state.withLock(\.starts) == 1)
  }

  @Test func aFailingStartLeavesTheCameraFree() async throws {
    let camera = FakeCamera()
    camera.state.withLock { $0.startError = CaptureError(.failedPrecondition, "busy") }
    let device = try await engine(camera).device("0")
    #expect(
      await refusal { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }?.message
        == "busy")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
  }

  @Test func aStreamThatEndsByItselfTellsItsSubscribersAndCanBeStartedAgain() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.send(.ended(CaptureError(.unavailable, "the driver gave up")))
    #expect(await refusal { try await subscription.waitUntilEnded() }?.message == "the driver gave up")
    await device.unsubscribe(subscription)
    #expect(await device.status().lastError == "the driver gave up")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(camera.state.withLock(\.starts) == 2)
  }

  @Test func shuttingDownEndsSubscriptionsAndStopsCameras() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    let device = try engine.device("0")
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    // However busy the machine is.
    await engine.waitAtEnd(.seconds(20))
    await engine.shutDown()
    #expect(await refusal { try await subscription.waitUntilEnded() }?.code == .unavailable)
    #expect(camera.state.withLock(\.stops) == 1)
    #expect(await refusal { _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") } != nil)
  }

  @Test func aWatchTellsWhatThereIsAndWhatChanges() async throws {
    let camera = FakeCamera("a")
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let watch = try await engine.watch()
    #expect(await watch.next()?.kind == .present)
    #expect(await watch.next()?.kind == .listed)
    provider.unplug(camera)
    let gone = await watch.next()
    #expect(gone?.kind == .vanished && gone?.camera?.isPresent == false)
    provider.plug(FakeCamera("b"))
    #expect(await watch.next()?.camera?.index == 1)
    watch.end()
    #expect(await watch.next() == nil)
  }
}
