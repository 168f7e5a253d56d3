import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Who comes while a photo is taken of a camera that did not stream.
@Suite struct PhotoStreamTests {
  private let camera = FakeCamera()

  /// A photo that waits for its frame.
  private func photo(of device: Device, _ request: VideoRequest = VideoRequest()) async
    -> Task<Picture, any Error>
  {
    let photo = Task { try await device.capturePhoto(request, requested: 0) { _ in } }
    await eventually("the photo waits for its frame") {
      await device.stream?.hub.consumers.contains { $0 is PhotoConsumer } == true
    }
    return photo
  }

  private var size: FrameSize? { camera.state.withLock { $0.stream?.size } }

  @Test func itsStreamBecomesWhatTheFirstSubscriberAskedFor() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    #expect(size == FrameSize(width: 1920, height: 1080))
    let sink = TestSink()
    let subscription = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    camera.emit()
    #expect(try await photo.value.description.size == FrameSize(width: 1920, height: 1080))
    await eventually("it is what was asked for") { size == FrameSize(width: 1280, height: 720) }
    camera.emit()
    await eventually("both came") { sink.received.count == 2 }
    #expect(sink.received.map { $0.picture?.description.size.width } == [1920, 1280])
    await device.unsubscribe(subscription)
    #expect(size == nil)
  }

  /// A photo is only one of the uses for which an idle camera may be started.
  @Test func anotherUseOfAnIdleCameraFollowsTheSameRule() async throws {
    let device = try await engine(camera).device("0")
    let keeper = StreamKeeper()
    try await device.run { device in
      try await device.temporaryStreams.enter()
      try await device.gates.stream.enter()
      defer { device.gates.stream.leave() }
      let stream = try await device.start(VideoRequest(), .photo, for: StreamUse(temporary: "scan"))
      try stream.hub.join(keeper)
    }
    let sink = TestSink()
    let subscription = try await device.subscribe(VideoRequest(), sink: sink, holder: "1")
    camera.emit()
    await device.run { device in
      device.stream?.hub.leave(keeper)
      device.temporaryStreams.leave()
      device.temporaryStreams.scheduleContinuing()
    }
    await eventually("it is what was asked for") { size == FrameSize(width: 1280, height: 720) }
    camera.emit()
    await eventually("both came") { sink.received.count == 2 }
    #expect(sink.received.map { $0.picture?.description.size.width } == [1920, 1280])
    #expect(sink.received.last?.gap.discontinuity?.reason == "the scan is over")
    await device.unsubscribe(subscription)
    #expect(size == nil)
  }

  @Test func itStaysWhereAnotherSubscriberWouldGetLess() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    let first = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    let sink = TestSink()
    let large = VideoRequest(size: FrameSize(width: 1920, height: 1080))
    let second = try await device.subscribe(large, sink: sink, holder: "2")
    camera.emit()
    _ = try await photo.value
    await eventually("it is theirs") { await device.stream?.isForSubscribers == true }
    camera.emit()
    await eventually("both came") { sink.received.count == 2 }
    #expect(sink.received.map { $0.picture?.description.size.width } == [1920, 1920])
    #expect(camera.state.withLock(\.starts) == 1)
    await device.unsubscribe(first)
    await device.unsubscribe(second)
    #expect(size == nil)
  }

  /// As that of a grabber whose driver takes no rate.
  @Test func itGoesOnWhereItsSubscriberAskedForARateThatNoRequestChanges() async throws {
    let size = SizeOption(discrete: FrameSize(width: 640, height: 480), intervals: .unknown)
    let camera = FakeCamera(formats: [
      FormatDescription(pixelFormat: .mjpeg, description: "MJPEG", isCompressed: true, sizes: [size])
    ])
    camera.state.withLock { $0.hasOwnInterval = true }
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    let subscription = try await device.subscribe(VideoRequest(rate: 30), sink: TestSink(), holder: "1")
    camera.emit()
    _ = try await photo.value
    await eventually("it is the subscriber's") { await device.stream?.isForSubscribers == true }
    try await device.run { device in
      try await device.temporaryStreams.enter()
      device.temporaryStreams.leave()
    }
    #expect(camera.state.withLock(\.starts) == 1)
    await device.unsubscribe(subscription)
  }

  @Test func itIsNotKeptForASubscriberWhoseCameraComesBack() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    await device.vanished()
    await #expect(throws: CaptureError.self) { try await photo.value }
    // It is one object here; another one would be there again.
    await eventually("it has been stopped") { size == nil }
    await device.appeared(camera)
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    #expect(size == FrameSize(width: 1280, height: 720))
    await device.unsubscribe(subscription)
  }

  /// A stream that is started again for its subscribers would be taken away from a photo.
  @Test func thePhotoAfterItHasItsStreamToo() async throws {
    let device = try await engine(camera).device("0")
    let first = await photo(of: device)
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    let second = Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    _ = try await first.value
    await eventually("the next one waits for its frame") {
      await device.stream?.hub.consumers.contains { $0 is PhotoConsumer } == true
    }
    await eventually("the subscribers wait for it") { await device.gates.photo.waitingCount == 1 }
    #expect(size == FrameSize(width: 1920, height: 1080))
    camera.emit()
    #expect(try await second.value.description.size == FrameSize(width: 1920, height: 1080))
    await eventually("it is what was asked for") { size == FrameSize(width: 1280, height: 720) }
    await device.unsubscribe(subscription)
  }

  /// Its stream is still the photo's, and will change.
  @Test func aConsumerThatIsNoSubscriberComesAfterIt() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    let consumer = StreamKeeper()
    let next = Task { try await device.join(consumer) }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    _ = try await photo.value
    try await next.value
    #expect(size == FrameSize(width: 1280, height: 720))
    await device.unsubscribe(subscription)
    await device.leave(consumer)
    #expect(size == nil)
  }

  @Test func itStopsWithThePhotoWhereItsSubscriberHasLeft() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    let subscription = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "1")
    await device.unsubscribe(subscription)
    #expect(size != nil)
    camera.emit()
    _ = try await photo.value
    #expect(size == nil && camera.state.withLock(\.starts) == 1)
  }

  @Test func whoCannotHaveHisFramesFromItComesNext() async throws {
    let device = try await engine(camera).device("0")
    let photo = await photo(of: device)
    let next = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    #expect(try await photo.value.description.size == FrameSize(width: 1920, height: 1080))
    let subscription = try await next.value
    #expect(size == FrameSize(width: 640, height: 480))
    await device.unsubscribe(subscription)
  }

  @Test func photosOfAnIdleCameraTakeTurnsEachAtItsOwnSize() async throws {
    let device = try await engine(camera).device("0")
    let small = await photo(of: device, VideoRequest(size: FrameSize(width: 640, height: 480)))
    let large = Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    #expect(try await small.value.description.size == FrameSize(width: 640, height: 480))
    await eventually("the next one is taken") {
      camera.emit()
      return camera.state.withLock(\.stops) == 2
    }
    #expect(try await large.value.description.size == FrameSize(width: 1920, height: 1080))
  }

  @Test func aSessionHasTheCameraAfterIt() async throws {
    let engine = await engine(camera)
    let device = try engine.device("0")
    let photo = await photo(of: device)
    let configured = Task {
      try await engine.configureSession("door", .of("0"), starts: false, owner: someone)
    }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    _ = try await photo.value
    _ = try await configured.value
    #expect(await device.reservation?.session == "door")
  }
}
