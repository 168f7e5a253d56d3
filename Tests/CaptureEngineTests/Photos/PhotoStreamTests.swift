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
    // Whoever comes behind one who waits does not share the photo's turn.
    let other = Task {
      try await device.run { device in
        try await device.temporaryStreams.enter()
        device.temporaryStreams.leave()
      }
    }
    await eventually("somebody waits") { await device.gates.photo.waitingCount == 1 }
    let second = Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    await eventually("the next photo waits behind him") { await device.gates.photo.waitingCount == 2 }
    camera.emit()
    _ = try await first.value
    try await other.value
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

  /// So many photos wait for their frame.
  private func areAwaited(_ count: Int, by device: Device) async {
    await eventually("\(count) photos wait for their frame") {
      await device.stream?.hub.consumers.filter { $0 is PhotoConsumer }.count == count
    }
  }

  @Test func photosOfOneFormatHaveOneStream() async throws {
    let device = try await engine(camera).device("0")
    camera.state.withLock { $0.holdsStarting = true }
    let photos = (0..<3).map { _ in
      Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    }
    await eventually("the others wait for the start") { await device.gates.stream.waitingCount == 2 }
    camera.releaseStart()
    await areAwaited(3, by: device)
    camera.emit()
    for photo in photos { #expect(try await photo.value.description.sequence == 0) }
    await eventually("it is stopped") { size == nil }
    #expect(camera.state.withLock { $0.starts == 1 && $0.stops == 1 })
    await eventually("nobody waits") { await device.gates.photo.waitingCount == 0 }
    // The turn is over.
    let next = await photo(of: device)
    camera.emit()
    _ = try await next.value
  }

  @Test func aPhotoKeepsTheStreamThatItSharesWithOneThatIsCancelled() async throws {
    let device = try await engine(camera).device("0")
    let first = await photo(of: device)
    let second = await photo(of: device)
    await areAwaited(2, by: device)
    first.cancel()
    await #expect(throws: CaptureError.self) { try await first.value }
    #expect(size != nil)
    // The turn is the second one's: what needs another stream waits.
    let next = Task { try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1") }
    await eventually("it waits") { await device.gates.photo.waitingCount == 2 }
    camera.emit()
    _ = try await second.value
    let subscription = try await next.value
    #expect(size == FrameSize(width: 640, height: 480))
    await device.unsubscribe(subscription)
    #expect(size == nil && camera.state.withLock(\.starts) == 2)
  }

  /// Its light, or what it sets, would be in the other photo.
  @Test(arguments: [true, false]) func whatChangesTheSceneOrTheSettingsHasItsTurnAlone(isLit: Bool)
    async throws
  {
    let device = try await engine(camera).device("0")
    let first = await photo(of: device)
    let next = Task {
      if isLit { _ = try await device.capturePhoto(VideoRequest(flash: .auto), requested: 0) { _ in } }
      let steps = [BracketStep.lensPosition(0.2), .lensPosition(0.8)]
      try await device.run { device in
        try await device.photos.captureBracket(steps, PhotoRequest(VideoRequest()), on: device) { _ in
        } deliver: { _ throws(CaptureError) in
        }
      }
    }
    await eventually("it waits") { await device.gates.photo.waitingCount == 1 }
    camera.emit()
    _ = try await first.value
    // The camera has no light, and its lens cannot be set.
    await #expect(throws: CaptureError.self) { try await next.value }
    #expect(size == nil && camera.state.withLock(\.starts) == 2)
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
