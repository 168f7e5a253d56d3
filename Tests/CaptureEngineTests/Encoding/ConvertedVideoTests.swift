import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// Live frames in a pixel format that the subscriber names.
@Suite(.timeLimit(.minutes(1))) struct ConvertedVideoTests {
  /// Counts what the real encoder does.
  private final class CountingEncoder: PictureEncoder {
    private let encoder: any PictureEncoder
    private let counts: Counts
    final class Counts: Sendable {
      let jpegs = Atomic(0)
      let conversions = Atomic(0)
    }

    init(_ encoder: any PictureEncoder, _ counts: Counts) { (self.encoder, self.counts) = (encoder, counts) }

    func encode(_ frame: Frame, as settings: JPEGSettings, into pool: PayloadPool) throws(CaptureError)
      -> Payload
    {
      counts.jpegs.add(1, ordering: .relaxed)
      return try encoder.encode(frame, as: settings, into: pool)
    }

    func turn(_ frame: Frame, as settings: RawSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    {
      try encoder.turn(frame, as: settings, into: pool)
    }

    func convert(_ frame: Frame, as settings: PixelSettings, into pool: PayloadPool) throws(CaptureError)
      -> RawPicture
    {
      counts.conversions.add(1, ordering: .relaxed)
      return try encoder.convert(frame, as: settings, into: pool)
    }
  }

  private static let vga = FrameSize(width: 640, height: 480)
  private static func raw(_ pixelFormat: PixelFormat, _ size: FrameSize? = vga) -> VideoRequest {
    VideoRequest(encoding: .raw, pixelFormat: pixelFormat, size: size)
  }

  private func imaging(_ counts: CountingEncoder.Counts) -> Imaging {
    var imaging = Imaging.standard
    let make = imaging.makeEncoder
    imaging.makeEncoder = { CountingEncoder(make(), counts) }
    return imaging
  }

  /// Bright in its middle, a quarter of the picture; dark around that.
  private static let picture: [UInt8] = (0..<480).flatMap { y in
    (0..<640).flatMap { x in
      [160..<480 ~= x && 120..<360 ~= y ? 200 : 20, 128] as [UInt8]
    }
  }

  @Test func viewersOfOneFormatShareOneConversion() async throws {
    let (camera, counts) = (FakeCamera(), CountingEncoder.Counts())
    let device = try await engine(camera, imaging: imaging(counts)).device("0")
    let sinks = [TestSink(), TestSink(), TestSink(), TestSink()]
    let requests = [Self.raw(.ar24), Self.raw(.ar24), .jpegVGA(quality: 70), Self.raw(.yuyv)]
    for (sink, request) in zip(sinks, requests) {
      _ = try await device.subscribe(request, sink: sink, holder: "viewer")
    }
    for count in 1...3 {
      camera.emit(bytes: Self.picture)
      await eventually("all have it") { sinks.allSatisfy { $0.received.count == count } }
    }
    #expect(counts.conversions.load(ordering: .relaxed) == 3)
    #expect(counts.jpegs.load(ordering: .relaxed) == 3)
    // The counters that status tells.
    let told = try #require(await device.stream?.hub.counters)
    #expect(told.encoded == 6 && told.encodeTime > .zero)
    for (first, second) in zip(sinks[0].received, sinks[1].received) {
      let picture = try #require(first.picture)
      #expect(picture === second.picture)
      let description = picture.description
      #expect(description.pixelFormat == .ar24 && description.size == Self.vga)
      #expect(description.planes == [PlaneLayout(stride: 2560, bytes: 640 * 480 * 4)])
      #expect(description.source.pixelFormat == .yuyv)
      #expect(description.color.matrix == .identity && description.color.isFullRange)
      #expect(description.encodeTime.map { $0 > .zero } == true)
      let pixels = picture.payload.bytes
      #expect(abs(Int(pixels[0]) - 5) <= 1 && pixels[3] == 255)
      #expect(abs(Int(pixels[(240 * 640 + 320) * 4 + 2]) - 214) <= 1)
    }
    let untouched = try #require(sinks[3].received.first?.picture?.description)
    #expect(untouched.encodeTime == nil && !untouched.color.isFullRange)
  }

  @Test func aZoomIsCutBeforeItIsConverted() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera, imaging: .standard).device("0")
    let sink = TestSink()
    _ = try await device.subscribe(Self.raw(.grey), sink: sink, holder: "viewer")
    camera.emit(bytes: Self.picture)
    await eventually("the first came") { sink.received.count == 1 }
    #expect(sink.received.first?.picture?.payload.bytes.first == 20)
    var change = SettingsChange()
    change.zoom = .init(factor: 2.5)
    _ = try await device.set(change)
    await eventually("it is cut") {
      camera.emit(bytes: Self.picture)
      return sink.received.last?.picture?.payload.bytes.first == 200
    }
    #expect(sink.received.last?.picture?.description.size == Self.vga)
  }

  @Test func aPhotoIsConverted() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera, imaging: .standard).device("0")
    let photo = try await device.capturePhoto(Self.raw(.nv12), requested: 0) { progress in
      if case .willCapture = progress { camera.emit(bytes: Self.picture) }
    }
    #expect(photo.description.pixelFormat == .nv12 && photo.payload.count == 640 * 480 * 3 / 2)
    #expect(photo.payload.bytes.first == 20 && photo.payload.bytes.last == 128)
    #expect(!photo.description.color.isFullRange && photo.description.color.matrix == .rec601)
  }

  @Test func aCameraMadeOfArithmeticIsSeenInEveryFormat() async throws {
    let counts = CountingEncoder.Counts()
    let engine = CaptureEngine(imaging: imaging(counts))
    await engine.attach(SyntheticProvider(cameras: [try SyntheticSpec.parse("synthetic:160x120@30")!]))
    let device = try engine.device("0")
    let first = TestSink()
    let (whole, half) = (FrameSize(width: 160, height: 120), FrameSize(width: 80, height: 60))
    _ = try await device.subscribe(Self.raw(.yuyv, whole), sink: first, holder: "first")
    var sinks: [(PixelTarget, TestSink)] = []
    for target in PixelTarget.allCases {
      let sink = TestSink()
      sinks.append((target, sink))
      let size = target == .bgra ? whole : half
      _ = try await device.subscribe(Self.raw(target.pixelFormat, size), sink: sink, holder: "\(target)")
    }
    await eventually("all have pictures") { sinks.allSatisfy { $0.1.received.count >= 2 } }
    let bytes = [PixelTarget.bgra: 4 * 160 * 120, .rgb24: 3 * 80 * 60, .grey: 80 * 60]
    for (target, sink) in sinks {
      let picture = try #require(sink.received.first?.picture)
      #expect(picture.payload.count == bytes[target] ?? 80 * 60 * 3 / 2)
      #expect(picture.description.pixelFormat == target.pixelFormat)
      #expect(picture.description.source.pixelFormat == .yuyv)
      #expect(Set(picture.payload.bytes).count > 20, "there is something to see")
    }
  }

  @Test func anIdleCameraThatHasTheFormatGivesItUntouched() async throws {
    let counts = CountingEncoder.Counts()
    let engine = CaptureEngine(imaging: imaging(counts))
    await engine.attach(SyntheticProvider(cameras: [try SyntheticSpec.parse("synthetic:640x480@30")!]))
    let device = try engine.device("0")
    let sink = TestSink()
    _ = try await device.subscribe(Self.raw(.nv12), sink: sink, holder: "viewer")
    await eventually("it came") { sink.received.count >= 2 }
    let description = try #require(sink.received.first?.picture?.description)
    #expect(description.source.pixelFormat == .nv12 && description.encodeTime == nil)
    #expect(counts.conversions.load(ordering: .relaxed) == 0)
  }
}
