import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// What is written into photos, and that a camera's own JPEG stays what it is.
@Suite struct PhotoMetadataTests {
  /// The markers and the scan of a JPEG, as far as anybody looks at them here.
  static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 1, 2, 0xFF, 0xDA, 0, 2, 9, 8, 7, 0xFF, 0xD9]
  let camera = FakeCamera()

  private func photo(
    _ request: VideoRequest, _ prepare: (isolated Device) -> Void = { _ in }
  ) async throws -> Photo {
    let device = try await engine(camera).device("0")
    await prepare(device)
    let camera = camera
    return try await outcome {
      try await device.run { device in
        try await device.photos.capture(PhotoRequest(request), on: device, requested: 0) { _ in }
      }
    } while: {
      if camera.state.withLock({ $0.stream != nil }) { camera.emit(bytes: Self.jpeg) }
    }
  }

  @Test func aCamerasOwnJPEGIsTheSameWithAndWithoutIt() async throws {
    var request = VideoRequest(settling: .zero)
    let written = try await photo(request)
    request.hasMetadata = false
    let plain = try await photo(request)
    #expect(plain.metadata == nil && plain.picture.payload.bytes == Self.jpeg)
    let bytes = written.picture.payload.bytes
    #expect(written.metadata != nil && bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE1]))
    #expect(bytes.suffix(Self.jpeg.count - 2) == Self.jpeg[2...] && bytes.count > Self.jpeg.count)
  }

  @Test func itTellsWhatTheConfigurationDoes() async throws {
    let lens = Lens(focalLength: 3.67)
    let place = GeographicLocation(latitude: 1, longitude: 2)
    let metadata = try #require(
      try await photo(VideoRequest(settling: .zero)) {
        $0.photos.setOrigin(PhotoOrigin(node: "desk", location: place, lens: lens))
      }.metadata)
    #expect(metadata.node == "desk" && metadata.location == place && metadata.lens == lens)
    #expect(metadata.camera == camera.description.id && metadata.model == camera.description.name)
  }

  @Test func eachPhotoHasANumberOfItsOwn() async throws {
    let first = try await photo(VideoRequest(settling: .zero)).metadata?.imageID
    let second = try await photo(VideoRequest(settling: .zero)).metadata?.imageID
    #expect(first != nil && first != second)
  }
}
