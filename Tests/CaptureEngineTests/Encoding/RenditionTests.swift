import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

@Suite struct RenditionTests {
  @Test func oneConnectionHasSoManyDifferentPicturesOfACamera() async throws {
    let device = try await engine(FakeCamera()).device("0")
    let most = NodeLimit.renditionsPerConnection.usual
    var latest: FrameSubscription?
    for quality in 1...most {
      latest = try await device.subscribe(.jpegVGA(quality: quality), sink: TestSink(), holder: "client 1")
    }
    let more = VideoRequest.jpegVGA(quality: 100)
    let refused = await #expect(throws: CaptureError.self) {
      try await device.subscribe(more, sink: TestSink(), holder: "client 1")
    }
    #expect(refused?.code == .resourceExhausted)
    #expect(refused?.message.contains("(renditionsPerConnection)") == true)
    // One that it has, the camera's own, and somebody else's.
    _ = try await device.subscribe(.jpegVGA(quality: 1), sink: TestSink(), holder: "client 1")
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "client 1")
    _ = try await device.subscribe(more, sink: TestSink(), holder: "client 2")
    await device.unsubscribe(try #require(latest))
    _ = try await device.subscribe(more, sink: TestSink(), holder: "client 1")
  }

  @Test func soManyDifferentPicturesAreMadeOfACamera() async throws {
    let device = try await engine(FakeCamera()).device("0")
    let most = NodeLimit.renditionsPerCamera.usual
    for quality in 1...most {
      let request = VideoRequest.jpegVGA(quality: quality)
      _ = try await device.subscribe(request, sink: TestSink(), holder: "client \(quality)")
    }
    let refused = await #expect(throws: CaptureError.self) {
      try await device.subscribe(.jpegVGA(quality: 100), sink: TestSink(), holder: "client 100")
    }
    #expect(refused?.code == .resourceExhausted)
    #expect(refused?.message.contains("640x480 at quality 3") == true)
    #expect(refused?.message.contains("(renditionsPerCamera)") == true)
    _ = try await device.subscribe(.jpegVGA(quality: 3), sink: TestSink(), holder: "client 100")
    // Whoever names no quality is served however many do.
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "client 101")
  }

  @Test func aSessionsSubscriberIsRefusedOneMoreToo() async throws {
    let engine = await engine(FakeCamera())
    _ = try await engine.configureSession("door", .of("0", .rawVGA), owner: someone)
    let session = try await engine.session("door")
    _ = try await session.start()
    for quality in 1...NodeLimit.renditionsPerConnection.usual {
      _ = try await session.subscribe(
        .jpegVGA(quality: quality), output: "video", sink: TestSink(), holder: "client 1")
    }
    let refused = try await session.subscribe(
      .jpegVGA(quality: 100), output: "video", sink: TestSink(), holder: "client 1")
    let error = await refusal { try await refused.waitUntilEnded() }
    #expect(error?.code == .resourceExhausted)
  }

  @Test func aSessionWhoseConnectionIsTurnedKeepsAllOfThem() async throws {
    let camera = FakeCamera()
    let engine = await engine(camera)
    var configuration = SessionConfiguration.of("0", .rawVGA)
    _ = try await engine.configureSession("door", configuration, owner: someone)
    let session = try await engine.session("door")
    _ = try await session.start()
    var sinks: [TestSink] = []
    for quality in 1...NodeLimit.renditionsPerConnection.usual {
      // Two share each picture: it is made for the second one until that has left, too.
      for _ in 1...2 {
        sinks.append(TestSink())
        _ = try await session.subscribe(
          .jpegVGA(quality: quality), output: "video", sink: sinks[sinks.count - 1], holder: "client 1")
      }
    }
    configuration.connections = [SessionConnection(output: "video", orientation: 180)]
    _ = try await engine.configureSession("door", configuration, owner: someone)
    await eventually("all have turned pictures") {
      camera.emit()
      return sinks.allSatisfy { sink in
        sink.received.contains { $0.gap.discontinuity?.kind == .reconfigured }
      }
    }
  }

  @Test func aStreamThatIsOverIsNotKept() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let subscription = try await device.subscribe(.jpegVGA(quality: 1), sink: TestSink(), holder: "test")
    weak let hub = await device.stream?.hub
    #expect(hub != nil)
    await device.unsubscribe(subscription)
    await eventually("it is gone") { hub == nil }
  }

  @Test func whatWaitsForThoseWhoLeftIsNotMade() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let engine = CaptureEngine(imaging: .fake(permits: permits, counts: counts), encoders: 1)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    var subscriptions: [FrameSubscription] = []
    for quality in 1...8 {
      subscriptions.append(
        try await device.subscribe(.jpegVGA(quality: quality), sink: TestSink(), holder: "test"))
    }
    for _ in 0..<3 { camera.emit() }
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    for subscription in subscriptions { await device.unsubscribe(subscription) }
    for _ in 0..<30 { permits.signal() }
    await eventually("the buffers are back") { camera.state.withLock(\.lent) == 0 }
    #expect(counts.started.withLock { $0.count } == 1)
  }

  @Test func aCameraWithOneRenditionTakesTurnsWithOneThatHasMany() async throws {
    let (busy, quiet) = (FakeCamera("busy"), FakeCamera("quiet"))
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let engine = CaptureEngine(imaging: .fake(permits: permits, counts: counts), encoders: 1)
    await engine.attach(FakeProvider([busy, quiet]))
    let sink = TestSink()
    for quality in 1...8 {
      let request = VideoRequest.jpegVGA(quality: quality)
      _ = try await engine.device("busy").subscribe(request, sink: TestSink(), holder: "crowd")
    }
    _ = try await engine.device("quiet").subscribe(.jpegVGA(quality: 50), sink: sink, holder: "viewer")
    busy.emit()
    quiet.emit()
    // The one that had begun, one of each camera at most.
    for _ in 0..<3 { permits.signal() }
    await eventually("the quiet camera's is out") { sink.received.count == 1 }
    #expect(counts.started.withLock { $0.count } <= 4)
    for _ in 0..<8 { permits.signal() }
  }

  @Test func workersKeepTheirEncodersWhileThereAreRenditions() async throws {
    let made = Mutex(0)
    let alive = Mutex<[WeakEncoder]>([])
    var imaging = Imaging.fake()
    imaging.makeEncoder = {
      let encoder = FakeEncoder(permits: nil, counts: FakeEncoder.Counts())
      made.withLock { $0 += 1 }
      alive.withLock { $0.append(WeakEncoder(encoder: encoder)) }
      return encoder
    }
    let camera = FakeCamera()
    let engine = CaptureEngine(imaging: imaging, encoders: 2)
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    let sinks = (1...8).map { _ in TestSink() }
    var subscriptions: [FrameSubscription] = []
    for (index, sink) in sinks.enumerated() {
      let request = VideoRequest.jpegVGA(quality: index + 1)
      subscriptions.append(try await device.subscribe(request, sink: sink, holder: "test"))
    }
    for count in 1...5 {
      camera.emit()
      await eventually("all have it") { sinks.allSatisfy { $0.received.count == count } }
    }
    #expect(made.withLock { $0 } <= 2)
    for subscription in subscriptions { await device.unsubscribe(subscription) }
    await eventually("their memory is given back") { alive.withLock { $0.allSatisfy { $0.encoder == nil } } }
  }

  private struct WeakEncoder { weak var encoder: FakeEncoder? }
}
