import CaptureImaging
import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What viewers see of a stream that runs larger than theirs, in pixels.
@Suite struct LargerTruthTests {
  private static let small = FrameSize(width: 160, height: 120)
  private static let large = FrameSize(width: 320, height: 240)
  private static let viewers = [
    VideoRequest(size: small), VideoRequest(encoding: .raw, pixelFormat: .grey, size: small),
  ]

  @Test(arguments: [false, true], viewers)
  func itIsTheSamePictureInTheSameSize(isJPEG: Bool, viewer: VideoRequest) async throws {
    var options = PhysicsOptions.manual(delay: 1)
    options.light = 2
    let rig = try await StagedRig(options, size: Self.small, isJPEG: isJPEG, largerSizes: [Self.large])
    _ = try await rig.set { $0.exposure = .init(duration: 0.002, gain: 12) }
    let sink = TestSink()
    _ = try await rig.device.subscribe(viewer, sink: sink, holder: "viewer")
    for _ in 0..<20 { rig.camera.step() }
    let before = try grey(try await picture(rig, sink))

    let device = rig.device
    let photo = try await outcome {
      try await device.run { try await $0.photos.capture(Self.request, on: $0, requested: 0) { _ in } }
        .picture
    } while: {
      if await device.isPhotoAwaited { rig.camera.step() }
    }
    #expect(photo.description.size == Self.large)
    let after = try grey(try await picture(rig, sink))
    #expect(sink.received.allSatisfy { $0.picture?.description.size == Self.small })
    let difference = zip(before, after).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    // Noise, and edges that lie between pixels.
    #expect(Double(difference) / Double(before.count) < 6)
  }

  private static var request: PhotoRequest {
    var request = PhotoRequest(VideoRequest())
    request.fullSize = .big
    return request
  }

  /// The picture of a further frame.
  private func picture(_ rig: StagedRig, _ sink: TestSink) async throws -> Picture {
    let number = try #require(rig.camera.step())
    await eventually("its picture is there") { sink.received.last?.picture?.description.sequence == number }
    return try #require(sink.received.last?.picture)
  }

  private func grey(_ picture: Picture) throws -> [UInt8] {
    guard picture.description.pixelFormat.isJPEG else { return Array(picture.payload.bytes) }
    let format = StreamFormat(pixelFormat: .mjpeg, size: Self.small, interval: nil, planes: [])
    let frame = Frame(
      payload: picture.payload, format: format, sequence: 0, timestamp: picture.description.timestamp)
    let pixels = try PixelConverter().convert(
      frame, as: PixelSettings(target: .grey, size: Self.small), into: PayloadPool())
    return Array(pixels.payload.bytes)
  }
}
