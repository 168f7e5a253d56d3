import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine

/// What libv4lconvert converts has a worker of its own: it may take as long as it likes, and nobody else waits.
@Suite(.timeLimit(.minutes(1))) struct LibraryWorkerTests {
  private static let odd = PixelFormat("S561")!

  /// Encodes frames of the library's format only when the test lets it.
  private final class Encoder: PictureEncoder {
    let permits: DispatchSemaphore
    let log: Log

    init(_ log: Log, _ permits: DispatchSemaphore) { (self.log, self.permits) = (log, permits) }

    func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
      -> Payload
    {
      let isOdd = frame.format.pixelFormat == odd
      log.encoders.withLock { _ = $0[isOdd, default: []].insert(ObjectIdentifier(self)) }
      if isOdd {
        log.begun.withLock { $0 += 1 }
        permits.wait()
      }
      return Payload(copying: [0])
    }

    func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    { throw CaptureError(.unimplemented, "not here") }

    func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    { throw CaptureError(.unimplemented, "not here") }
  }

  private final class Log: Sendable {
    /// How many frames of the library's format were begun.
    let begun = Mutex(0)
    /// The encoders that got frames of that format, and of others.
    let encoders = Mutex<[Bool: Set<ObjectIdentifier>]>([:])
  }

  private struct Rig {
    let log = Log()
    let permits = DispatchSemaphore(value: 0)
    let odd = ["odd-1", "odd-2"].map {
      FakeCamera($0, formats: [FakeCamera.format(LibraryWorkerTests.odd, ["640x480": [30]])])
    }
    /// It has the library's format beside another.
    let both = FakeCamera(
      "both",
      formats: [.yuyv, LibraryWorkerTests.odd].map { FakeCamera.format($0, ["640x480": [30]]) })
    let plain = FakeCamera("plain", formats: [FakeCamera.format(.yuyv, ["640x480": [30]])])
    let engine: CaptureEngine

    init() async {
      var imaging = Imaging.fake()
      imaging.isEncodable = { _ in true }
      imaging.conversion = { $0 == LibraryWorkerTests.odd ? .libv4lconvert : .libyuv }
      imaging.makeEncoder = { [log, permits] in Encoder(log, permits) }
      engine = CaptureEngine(imaging: imaging, encoders: 1)
      await engine.attach(FakeProvider(odd + [both, plain]))
    }

    func watch(_ camera: FakeCamera) async throws -> TestSink {
      let sink = TestSink()
      let device = try engine.device(camera.description.id.rawValue)
      _ = try await device.subscribe(.jpegVGA(quality: 80), sink: sink, holder: "test")
      return sink
    }
  }

  @Test func nobodyWaitsForAConversionByTheLibrary() async throws {
    let rig = await Rig()
    let (first, second) = (try await rig.watch(rig.odd[0]), try await rig.watch(rig.odd[1]))
    let plain = try await rig.watch(rig.plain)
    // The capture thread is free again at once: this returns, although nothing is converted yet.
    for camera in rig.odd { camera.emit() }
    await eventually("both cameras' are begun, each by its own worker") { rig.log.begun.withLock { $0 } == 2 }
    for count in 1...3 {
      rig.plain.emit()
      await eventually("the other camera's frames come") { plain.received.count == count }
    }
    #expect(first.received.isEmpty && second.received.isEmpty)
    for _ in rig.odd { rig.permits.signal() }
    await eventually("the library's are made") { first.received.count == 1 && second.received.count == 1 }
    let encoders = rig.log.encoders.withLock { $0 }
    #expect(encoders[true]?.count == 2 && encoders[false]?.count == 1)
    #expect(encoders[true]?.isDisjoint(with: encoders[false] ?? []) == true)
  }

  /// As after a photo, or for one of full size.
  @Test func nobodyWaitsForAStreamThatGoesOnInAFormatOfTheLibrary() async throws {
    let rig = await Rig()
    let (sink, plain) = (try await rig.watch(rig.both), try await rig.watch(rig.plain))
    let device = try rig.engine.device("both")
    func goOn(in pixelFormat: PixelFormat) async throws {
      try await device.run { [camera = rig.both] device in
        guard let stream = device.stream else { throw CaptureError(.unavailable, "it does not stream") }
        var request = stream.request
        request.pixelFormat = pixelFormat
        try await stream.restart(as: stream.inFormat(StreamFormat(request)), of: camera, on: device) { _ in
          "a test"
        }
      }
    }
    rig.both.emit()
    await eventually("it begins in the other format") { sink.received.count == 1 }
    try await goOn(in: Self.odd)
    rig.both.emit()
    await eventually("the library's frame is begun") { rig.log.begun.withLock { $0 } == 1 }
    for count in 1...3 {
      rig.plain.emit()
      await eventually("the other camera's frames come") { plain.received.count == count }
    }
    // Back in the other format, a frame does not overtake the one that the library still converts.
    try await goOn(in: .yuyv)
    rig.both.emit()
    rig.plain.emit()
    await eventually("the other camera's frames come") { plain.received.count == 4 }
    #expect(sink.received.count == 1)
    rig.permits.signal()
    await eventually("both are made, in order") { sink.received.count == 3 }
    #expect(
      sink.received.map { $0.picture?.description.source.pixelFormat } == [.yuyv, Self.odd, .yuyv])
    let encoders = rig.log.encoders.withLock { $0 }
    #expect(encoders[true]?.count == 1 && encoders[false]?.count == 1)
    #expect(encoders[true]?.isDisjoint(with: encoders[false] ?? []) == true)
  }

  @Test func thePhotosOfACameraShareOneThread() async throws {
    let rig = await Rig()
    func worker(_ camera: String, _ pixelFormat: PixelFormat) async throws -> EncoderWorkers {
      let format = StreamFormat(
        pixelFormat: pixelFormat, size: FrameSize(width: 16, height: 16), interval: nil, planes: [])
      let frame = Frame(
        payload: Payload(copying: [0]), format: format, sequence: 0,
        timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .startOfExposure))
      let taken = TakenFrame(frame: frame, moment: FrameMoment(ordinal: 1, epoch: 0, time: 0, arrival: 0))
      return try await rig.engine.device(camera).run { $0.photos.workers(for: taken) }
    }
    let first = try await worker("odd-1", Self.odd)
    #expect(try await worker("odd-1", Self.odd) === first)
    #expect(try await worker("odd-2", Self.odd) !== first)
    #expect(try await worker("odd-1", .yuyv) === worker("plain", .yuyv))
  }

  @Test func nobodyWaitsForAPhotoThatTheLibraryConverts() async throws {
    let rig = await Rig()
    let plain = try await rig.watch(rig.plain)
    let device = try rig.engine.device("odd-1")
    let photo = Task { try await device.capturePhoto(.jpegVGA(quality: 80), requested: 0) { _ in } }
    await eventually("the photo is being encoded") {
      rig.odd[0].emit()
      return rig.log.begun.withLock { $0 } == 1
    }
    for count in 1...3 {
      rig.plain.emit()
      await eventually("the other camera's frames come") { plain.received.count == count }
    }
    rig.permits.signal()
    #expect(try await photo.value.payload.bytes == [0])
  }
}
