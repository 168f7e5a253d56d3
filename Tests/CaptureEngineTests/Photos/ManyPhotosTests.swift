import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

/// As many photos and bursts as clients like, of one camera, beside its viewers.
@Suite(.timeLimit(.minutes(1))) struct ManyPhotosTests {
  private let camera = FakeCamera()
  /// One lets one encode end.
  private let permits = DispatchSemaphore(value: 0)
  private let counts = FakeEncoder.Counts()

  private func device(_ limits: NodeLimits, encoders: Int = 1, imaging: Imaging? = nil) async throws -> Device
  {
    let engine = CaptureEngine(
      imaging: imaging ?? .fake(permits: permits, counts: counts), encoders: encoders, limits: limits)
    await engine.attach(FakeProvider([camera]))
    return try engine.device("0")
  }

  private static func jpeg(_ quality: Int) -> VideoRequest {
    var request = VideoRequest.jpegVGA(quality: quality)
    request.settling = .zero
    return request
  }

  private func photo(of device: Device, _ request: PhotoRequest = PhotoRequest(jpeg(90))) -> Task<
    Picture, any Error
  > {
    Task {
      try await device.run { device in
        try await device.photos.capture(request, on: device, requested: 0) { _ in }.picture
      }
    }
  }

  /// So many photos wait for a frame.
  private func areAwaited(_ count: Int, by device: Device) async -> Bool {
    await device.stream?.hub.consumers.filter { $0 is PhotoConsumer }.count == count
  }

  /// Lets encodes end until `work` has.
  private func finish<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws
    -> Value
  {
    try await outcome(of: work) { for _ in 0..<10 { permits.signal() } }
  }

  // MARK: How many

  @Test func oneMoreThanMayBeIsRefusedBeforeTheCameraStarts() async throws {
    let device = try await device(.ofPhotos(1))
    camera.state.withLock { $0.holdsStarting = true }
    let first = photo(of: device)
    await eventually("it starts the camera") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    let request = PhotoRequest(Self.jpeg(90))
    let others: [@Sendable (isolated Device) async throws -> Void] = [
      { _ = try await $0.photos.capture(request, on: $0, requested: 0) { _ in } },
      {
        let moment = PhotoTime.node(MonotonicClock.now() + 100_000_000, bootID: "")
        _ = try await $0.photos.capture(request, at: moment, on: $0, requested: MonotonicClock.now()) { _ in }
      },
      {
        try await $0.photos.captureBurst(2, request, on: $0, requested: 0) { _ in
        } deliver: { _ throws(CaptureError) in
        }
      },
      {
        try await $0.photos.captureBracket([.lensPosition(0.2), .lensPosition(0.8)], request, on: $0) { _ in
        } deliver: { _ throws(CaptureError) in
        }
      },
    ]
    for other in others {
      let error = await refusal { try await device.run(other) }
      #expect(
        error?.code == .resourceExhausted && error?.details?.limit == "photosPerCamera", "\(error as Any)")
    }
    camera.releaseStart()
    permits.signal()
    await eventually("it is taken") {
      camera.emit()
      return camera.state.withLock(\.stops) == 1
    }
    _ = try await first.value
    #expect(camera.state.withLock(\.starts) == 1)
  }

  // MARK: Bursts

  @Test func aHundredBurstsHaveTogetherWhatACameraMayKeep() async throws {
    let bytes = 640 * 480 * 2
    let device = try await device(.ofPhotos(100, bytes: 3 * bytes))
    let keeper = StreamKeeper()
    try await device.join(keeper, asking: .rawVGA)
    let bursts = (0..<100).map { _ in
      Task {
        try await device.run { device in
          try await device.photos.captureBurst(1_000, PhotoRequest(Self.jpeg(90)), on: device, requested: 0) {
            _ in
          } deliver: { _ throws(CaptureError) in
          }
        }
      }
    }
    await eventually("all take frames") {
      await device.stream?.hub.consumers.filter { $0 is BurstConsumer }.count == 100
    }
    for _ in 0..<10 { camera.emit() }
    #expect(await device.run { $0.photos.underWay.waitingBytes } == 3 * bytes)
    #expect(camera.state.withLock(\.lent) == 1)
    let errors = try await finish {
      var errors: [CaptureError?] = []
      for burst in bursts { errors.append(await refusal { try await burst.value }) }
      return errors
    }
    for error in errors {
      #expect(error?.code == .resourceExhausted && error?.details?.limit == "burstBytesPerCamera")
      #expect(error?.message.hasPrefix("the burst ended with 4 of 1000 photos: ") == true)
    }
    #expect(await device.run { $0.photos.underWay.waitingBytes } == 0)
    await eventually("it has all buffers") { camera.state.withLock(\.lent) == 0 }
    await device.leave(keeper)
  }

  // MARK: Encoders

  @Test func aViewersFramesTakeTurnsWithAHundredPhotos() async throws {
    let device = try await device(.ofPhotos(100))
    let sink = TestSink()
    let subscription = try await device.subscribe(.jpegVGA(quality: 50), sink: sink, holder: "viewer")
    let photos = (0..<100).map { _ in photo(of: device) }
    await eventually("all wait for a frame") { await areAwaited(100, by: device) }
    camera.emit()
    await eventually("all have it") { await areAwaited(0, by: device) }
    await eventually("one is being made") { await device.gates.making.waitingCount == 99 }
    // The viewer's first frame, or a photo, is at work. After it comes one of either.
    for count in 1...5 {
      for _ in 0..<2 { permits.signal() }
      await eventually("the viewer has the next one") { sink.received.count >= count }
      #expect(counts.started.withLock { $0.count } <= 2 * count + 1)
      camera.emit()
    }
    let made = try await finish {
      for photo in photos { _ = try await photo.value }
      return true
    }
    #expect(made)
    await device.unsubscribe(subscription)
  }

  /// Makes pixels of frames, and tells of those that wait.
  private final class PixelEncoder: PictureEncoder {
    struct Count: Sendable {
      var present = 0
      var most = 0
    }
    let pixels: Pixels
    final class Pixels: Sendable { let count = Mutex(Count()) }

    init(_ pixels: Pixels) { self.pixels = pixels }

    func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
      -> Payload
    { throw CaptureError(.unimplemented, "not here") }

    func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    { throw CaptureError(.unimplemented, "not here") }

    func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    {
      let stride = settings.size.width * 3
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: stride * settings.size.height, alignment: 16)
      memory.initializeMemory(as: UInt8.self, repeating: 7)
      pixels.count.withLock { count in
        count.present += 1
        count.most = max(count.most, count.present)
      }
      nonisolated(unsafe) let base = memory
      let payload = Payload(lending: UnsafeRawBufferPointer(memory)) { [pixels] in
        base.deallocate()
        pixels.count.withLock { $0.present -= 1 }
      }
      return RawPicture(
        payload: payload, planes: [PlaneLayout(stride: stride, bytes: memory.count)],
        color: ColorDescription(matrix: .identity, isFullRange: true))
    }
  }

  @Test func noPhotoWaitsHalfMade() async throws {
    let pixels = PixelEncoder.Pixels()
    var imaging = Imaging.fake()
    imaging.makeEncoder = { PixelEncoder(pixels) }
    let device = try await device(.ofPhotos(30), encoders: 2, imaging: imaging)
    let keeper = StreamKeeper()
    try await device.join(keeper, asking: .rawVGA)
    var frame = VideoRequest()
    frame.settling = .zero
    let request = PhotoRequest(frame, formats: [PhotoFormat(.png, frame)])
    let photos = (0..<30).map { _ in photo(of: device, request) }
    await eventually("all wait for a frame") { await areAwaited(30, by: device) }
    camera.emit()
    for photo in photos {
      #expect(try await photo.value.payload.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
    // Of each worker one may not have been let go of when the next is made.
    #expect(pixels.count.withLock { $0.most } <= 4)
    await device.leave(keeper)
  }

  @Test func asManyAreMadeAtOnceAsViewersLeaveWorkers() async throws {
    let device = try await device(.ofPhotos(10), encoders: 2)
    let making = await device.gates.making
    let keeper = StreamKeeper()
    try await device.join(keeper, asking: .rawVGA)
    let photos = (0..<6).map { _ in photo(of: device) }
    await eventually("all wait for a frame") { await areAwaited(6, by: device) }
    camera.emit()
    await eventually("two are being made") {
      counts.started.withLock { $0.count } == 2 && making.waitingCount == 4
    }
    // With a rendition it is one at a time. No frame of it is made here, which would take a permit.
    let workers = await device.workers
    workers.renditionBegan()
    for _ in 0..<2 { permits.signal() }
    await eventually("the next one is being made") {
      counts.started.withLock { $0.count } == 3 && making.waitingCount == 3
    }
    workers.renditionEnded()
    permits.signal()
    await eventually("two are being made again") {
      counts.started.withLock { $0.count } == 5 && making.waitingCount == 1
    }
    let made = try await finish {
      for photo in photos { _ = try await photo.value }
      return true
    }
    #expect(made)
    await device.leave(keeper)
  }

  @Test func ofAPhotoThatIsCancelledNoFurtherFileIsMade() async throws {
    let device = try await device(.ofPhotos(1))
    let keeper = StreamKeeper()
    try await device.join(keeper, asking: .rawVGA)
    let frame = Self.jpeg(90)
    let formats = [PhotoFormat(.jpeg, frame), PhotoFormat(.png, VideoRequest())]
    let photo = photo(of: device, PhotoRequest(frame, formats: formats))
    await eventually("it waits for a frame") { await areAwaited(1, by: device) }
    camera.emit()
    await eventually("its JPEG is being made") { counts.started.withLock { $0.count } == 1 }
    photo.cancel()
    let error = await refusal { _ = try await finish { try await photo.value } }
    #expect(error?.code == .cancelled)
    #expect(counts.started.withLock { $0.count } == 1)
    await device.leave(keeper)
  }

  // MARK: The driver's buffers

  @Test func sixPhotosOfSixFramesKeepOneBufferWhileTheyWait() async throws {
    let device = try await device(NodeLimits(), encoders: 2)
    let keeper = StreamKeeper()
    try await device.join(keeper, asking: .rawVGA)
    var photos: [Task<Picture, any Error>] = []
    for _ in 0..<6 {
      photos.append(photo(of: device))
      await eventually("it waits for a frame") { await areAwaited(1, by: device) }
      camera.emit()
      await eventually("it has it") { await areAwaited(0, by: device) }
    }
    for _ in 0..<3 { camera.emit() }
    #expect(camera.state.withLock(\.lent) == 1)
    let taken = photos
    let sequences = try await finish {
      var sequences: [UInt64] = []
      for photo in taken { sequences.append(try await photo.value.description.sequence) }
      return sequences
    }
    #expect(sequences == Array(0..<6))
    await eventually("it has all buffers") { camera.state.withLock(\.lent) == 0 }
    await device.leave(keeper)
  }
}
