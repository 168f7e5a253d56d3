import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Testing

@testable import CaptureEngine

@Suite struct DeliveryTests {
  /// What is missing in the camera's numbering between delivered frames, not explained by what the messages say.
  private func unexplained(_ received: [TestSink.Received]) -> UInt64 {
    let frames = received.filter { $0.picture != nil }
    let gaps = zip(frames, frames.dropFirst()).reduce(0) {
      $0 + $1.1.picture!.description.sequence - $1.0.picture!.description.sequence - 1
    }
    return gaps - frames.dropFirst().reduce(0) { $0 + $1.gap.discarded + $1.gap.thinned }
  }

  @Test func everySubscriberGetsTheCamerasOwnBuffer() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let loop = QueueExecutor(label: "shared")
    let sinks = (0..<3).map { _ in TestSink(loop: loop) }
    for sink in sinks { _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test") }
    camera.emit()
    let payloads = sinks.map { $0.received.first?.picture?.payload }
    #expect(payloads.allSatisfy { $0 != nil && $0 === payloads[0] })
    #expect(camera.state.withLock(\.starts) == 1)
  }

  @Test func aSlowReaderGetsTheNewestFrameAndTheGapIsExplained() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    for _ in 0..<5 {
      camera.emit()
      _ = sink.received
    }
    camera.emit(skipping: 2)
    sink.grant(.max - 1)
    let received = sink.received
    #expect(received.map { $0.picture!.description.sequence } == [0, 7])
    #expect(received[1].gap.discarded == 4)
    #expect(unexplained(received) == 2)
  }

  @Test func aMessageGivenUpInTheMiddleCountsAsDiscardedWithWhatItSaid() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    for _ in 0..<3 {
      camera.emit()
      _ = sink.received
    }
    sink.grant(1)  // 2 goes out, saying that 1 was discarded …
    sink.abortLast()  // … but does not arrive.
    camera.emit()
    sink.grant(1)
    let received = sink.received
    #expect(received.map { $0.picture!.description.sequence } == [0, 3])
    #expect(received[1].gap.discarded == 2)
  }

  @Test func theFirstPictureIsTheFirstThatArrives() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 2)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    for _ in 0..<2 {
      camera.emit()
      #expect(sink.received.last?.gap.isFirst == true)
      sink.abortLast()
    }
    // One that is replaced before it is sent makes no difference.
    for _ in 0..<2 {
      camera.emit()
      _ = sink.received
    }
    sink.grant(1)
    camera.emit()
    sink.grant(1)
    #expect(sink.received.map(\.gap) == [FrameGap(discarded: 3, isFirst: true), FrameGap()])
  }

  @Test func anAnnouncementThatWasReplacedIsToldUntilAPictureArrives() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    camera.emit()
    _ = sink.received
    camera.send(.interrupted(reason: "no frame for 1 s"))
    _ = sink.received
    for _ in 0..<2 {
      camera.emit()
      sink.grant(1)
      #expect(sink.received.last?.gap.interruption == "no frame for 1 s")
      sink.abortLast()
    }
    for _ in 0..<2 {
      camera.emit()
      sink.grant(1)
    }
    #expect(sink.received.map(\.gap.interruption) == [nil, "no frame for 1 s", nil])
    #expect(sink.received.allSatisfy { $0.interruption == nil })
  }

  @Test func aBurstReachesAReaderWhoseLoopWasLate() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    sink.loop.queue.sync { for _ in 0..<4 { camera.emit() } }
    await eventually("all four are there") { sink.received.count == 4 }
    #expect(sink.received.map(\.gap) == [FrameGap(isFirst: true), FrameGap(), FrameGap(), FrameGap()])
    sink.loop.queue.sync { for _ in 0..<5 { camera.emit() } }
    await eventually("of five at once the newest is there") { sink.received.count == 5 }
    #expect(sink.received.last?.picture?.description.sequence == 8)
    #expect(sink.received.last?.gap == FrameGap(discarded: 4))
  }

  @Test func aBurstWaitsForTheEncoder() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(permits: permits, counts: counts)).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    camera.emit()
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    for _ in 0..<2 { camera.emit() }
    for _ in 0..<3 { permits.signal() }
    await eventually("all are out") { sink.received.count == 3 }
    #expect(sink.received.map(\.gap) == [FrameGap(isFirst: true), FrameGap(), FrameGap()])
  }

  @Test func thinningIsToldApartFromDiscarding() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let (whole, thin) = (TestSink(), TestSink())
    _ = try await device.subscribe(.rawVGA, sink: whole, holder: "first")
    var request = VideoRequest.rawVGA
    request.rate = 10
    _ = try await device.subscribe(request, sink: thin, holder: "second")
    for index in 0..<30 as Range<UInt64> {
      camera.emit(timestamp: .at(1_000_000_000 + index * 33_333_333))
      _ = (whole.received, thin.received)
    }
    #expect(whole.received.count == 30)
    #expect(thin.received.map { $0.picture!.description.sequence } == Array(stride(from: 0, to: 30, by: 3)))
    #expect(thin.received.dropFirst().allSatisfy { $0.gap == FrameGap(discarded: 0, thinned: 2) })
  }

  @Test func aCameraThatRendersOnDemandIsOnlyAskedForFramesThatCanGoOut() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    #expect(camera.offer())
    _ = sink.received
    #expect(!camera.offer())
    #expect(!camera.offer())
    sink.grant(1)
    #expect(camera.offer())
    #expect(sink.received.map(\.gap.discarded) == [0, 2])
  }

  @Test func equalRequestsShareOneEncode() async throws {
    let camera = FakeCamera()
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(counts: counts)).device("0")
    let sinks = (0..<4).map { _ in TestSink() }
    for (index, sink) in sinks.enumerated() {
      _ = try await device.subscribe(.jpegVGA(quality: index < 3 ? 50 : 90), sink: sink, holder: "test")
    }
    camera.emit()
    await eventually("all get it") { sinks.allSatisfy { $0.received.count == 1 } }
    #expect(counts.started.withLock { $0.count } == 2)
    let payloads = sinks.map { $0.received[0].picture!.payload }
    #expect(payloads[0] === payloads[2])
    #expect(payloads.map(\.bytes) == [[50], [50], [50], [90]])
    #expect(await device.status().encoded == 2)
  }

  @Test func equalTransformsShareOneTurnAndTheUntouchedFrameStaysTheCamerasOwn() async throws {
    let camera = FakeCamera()
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(counts: counts)).device("0")
    var turned = VideoRequest.rawVGA
    turned.size = nil
    turned.transform = PictureTransform(orientation: .clockwise90)
    var mirrored = VideoRequest.rawVGA
    mirrored.transform = PictureTransform(isMirrored: true)
    let requests = [VideoRequest.rawVGA, turned, turned, mirrored]
    let sinks = requests.map { _ in TestSink() }
    for (request, sink) in zip(requests, sinks) {
      _ = try await device.subscribe(request, sink: sink, holder: "test")
    }
    camera.emit()
    await eventually("all get it") { sinks.allSatisfy { $0.received.count == 1 } }
    #expect(counts.started.withLock { $0.count } == 2)
    let pictures = sinks.map { $0.received[0].picture! }
    #expect(pictures[1].payload === pictures[2].payload && pictures[0].payload !== pictures[1].payload)
    #expect(pictures[0].description.encodeTime == nil)
    #expect(pictures[1].description.size == FrameSize(width: 480, height: 640))
    #expect(pictures[1].description.pixelFormat == .yuyv)
    #expect(pictures[1].description.planes == [PlaneLayout(stride: 960, bytes: 1)])
    #expect(pictures[3].description.size == FrameSize(width: 640, height: 480))
    #expect(pictures.map(\.description.view) == requests.map(\.transform))
  }

  @Test func theNewestFrameWinsInFrontOfTheEncoder() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(permits: permits, counts: counts)).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    camera.emit()
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    for _ in 0..<5 { camera.emit() }
    permits.signal()
    await eventually("the first is out") { sink.received.count == 1 }
    permits.signal()
    await eventually("two are out") { sink.received.count == 2 }
    #expect(sink.received.map { $0.picture!.description.sequence } == [0, 5])
    #expect(sink.received[1].gap == FrameGap(discarded: 4, thinned: 0))
    await eventually("the buffers are back") { camera.state.withLock(\.lent) == 0 }
  }

  @Test func anEncoderThatIsFarBehindDeliversWhatItMakes() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(permits: permits, counts: counts)).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    camera.emit()
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    for _ in 0..<20 { camera.emit() }
    for _ in 0..<3 { permits.signal() }
    await eventually("it is out, and the newest are") { sink.received.count == 3 }
    #expect(sink.received.map { $0.picture!.description.sequence } == [0, 19, 20])
    #expect(sink.received.map(\.gap.discarded) == [0, 18, 0])
  }

  @Test func aCameraThatIsOftenShortOfBuffersIsStillSeen() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(permits: permits, counts: counts)).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    camera.emit()
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    for _ in 0..<20 {
      camera.emit()
      camera.send(.buffersLow)
    }
    permits.signal()
    await eventually("it is out") { sink.received.count == 1 }
    #expect(sink.received.first?.picture?.description.sequence == 0)
  }

  @Test func nothingIsEncodedForThoseWhoCannotTakeIt() async throws {
    let camera = FakeCamera()
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(counts: counts)).device("0")
    let sink = TestSink(credit: 0)
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    for _ in 0..<3 { camera.emit() }
    #expect(counts.started.withLock { $0.isEmpty })
    sink.grant(1)
    camera.emit()
    await eventually("it is out") { sink.received.count == 1 }
    #expect(sink.received[0].gap.discarded == 3)
  }

  @Test func whoHasRoomForOneFrameIsNotGivenASecondWhileThatIsEncoded() async throws {
    let camera = FakeCamera()
    let permits = DispatchSemaphore(value: 0)
    let counts = FakeEncoder.Counts()
    let device = try await engine(camera, imaging: .fake(permits: permits, counts: counts)).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "test")
    #expect(camera.offer())
    await eventually("the first is being encoded") { counts.started.withLock { $0.count } == 1 }
    #expect(!camera.offer())
    permits.signal()
    await eventually("the first is out") { sink.received.count == 1 }
    #expect(!camera.offer())
    sink.grant(1)
    await eventually("another is taken") { camera.offer() }
    permits.signal()
    await eventually("the next one is out") { sink.received.count == 2 }
    let next = sink.received[1]
    #expect(next.picture.map { $0.description.sequence } == next.gap.discarded + 1)
  }

  @Test func corruptFramesAreDroppedAndCountedAsDiscarded() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(VideoRequest(), sink: sink, holder: "test")
    camera.emit()
    _ = sink.received
    camera.emit(bytes: [1, 2])
    camera.emit()
    #expect(sink.received.map { $0.picture!.description.sequence } == [0, 2])
    // Nothing of the gap is left for the camera to have lost.
    #expect(sink.received.map(\.gap.discarded) == [0, 1])
    #expect(unexplained(sink.received) == 0)
    #expect(await device.status().corrupt == 1)
  }

  @Test func anInterruptionIsAnnouncedAndTheNextFrameSaysSo() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    camera.emit()
    _ = sink.received
    camera.send(.interrupted(reason: "no frame for 1 s"))
    _ = sink.received
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "restarted"))
    _ = sink.received
    camera.emit()
    let received = sink.received
    #expect(received.map { $0.interruption } == [nil, "no frame for 1 s", nil, nil])
    #expect(received.map { $0.gap.discontinuity?.kind } == [nil, nil, .resumed, nil])
  }

  @Test func aDiscontinuityIsToldEvenWhenItsFrameWasReplaced() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 1)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    camera.emit()
    _ = sink.received
    camera.emit(discontinuity: StreamDiscontinuity(.resumed, reason: "restarted"))
    _ = sink.received
    camera.emit()
    sink.grant(1)
    #expect(sink.received.last?.picture?.description.sequence == 2)
    #expect(sink.received.last?.gap.discontinuity?.kind == .resumed)
  }

  @Test func sinksLetGoWhenTheCameraIsShortOfBuffers() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    let sink = TestSink(credit: 0)
    _ = try await device.subscribe(.rawVGA, sink: sink, holder: "test")
    camera.emit()
    _ = sink.received
    #expect(camera.state.withLock(\.lent) == 1)
    camera.send(.buffersLow)
    #expect(sink.relinquished == 1)
    #expect(camera.state.withLock(\.lent) == 0)
  }
}
