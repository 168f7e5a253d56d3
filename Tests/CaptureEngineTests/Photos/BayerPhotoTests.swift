import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// The format in which an idle camera runs for a DNG.
@Suite struct BayerPhotoTests {
  /// The request by which a camera with these formats is started for a DNG.
  private func start(_ formats: [FormatDescription], from asked: PixelFormat? = nil) async throws
    -> VideoRequest
  {
    let device = try await engine(FakeCamera(formats: formats)).device("0")
    var frame = VideoRequest()
    frame.pixelFormat = asked
    let request = PhotoRequest(frame, formats: [PhotoFormat(.dng, frame)])
    return try await device.run { try await $0.photos.requestForIdle(request) }
  }

  private let sensor =
    FakeCamera.usualFormats + [FakeCamera.format(.bggr8, ["640x480": [30]])]

  @Test func itIsTheFormatOfItsSensor() async throws {
    #expect(try await start(sensor).pixelFormat == .bggr8)
    #expect(try await start(sensor, from: .bggr8).pixelFormat == .bggr8)
  }

  @Test func anotherFormatIsRefusedAndTheSensorsAreNamed() async throws {
    let error = await #expect(throws: CaptureError.self) { try await start(sensor, from: .mjpeg) }
    #expect(error?.message == "a DNG needs a Bayer format, which MJPG is not; 'fake-0' has: BA81")
    #expect(error?.details?.field == "source_pixel_format" && error?.details?.possible == ["BA81"])
  }

  @Test func aCameraWithoutASensorsFormatsSaysWhatItHas() async throws {
    let error = await #expect(throws: CaptureError.self) { try await start(FakeCamera.usualFormats) }
    #expect(
      error?.message
        == "'fake-0' gives no Bayer frames, which a DNG needs; it offers: YUYV, MJPG; take 'raw', 'png' or 'jpeg'"
    )
    #expect(
      error?.details?.field == "settings.formats" && error?.details?.possible == ["jpeg", "png", "raw"])
  }
}
