import CaptureModel
import CaptureTestSupport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct FormatsEndpointTests {
  @Test func formatsSayWhoMakesTheJPEG() async throws {
    let makers: [(format: String, conversion: Conversion)] = [
      ("MJPG", .none), ("YUYV", .libyuv), ("S910", .libv4lconvert), ("RGGB", .node), ("Y12", .node),
      ("H264", .unspecified),
    ]
    let offered = makers.map { FakeCamera.format(PixelFormat($0.format)!, ["640x480": [30]]) }
    let fixture = try await Fixture(FakeProvider([FakeCamera(formats: offered)]))
    let formats = try await fixture.devices.formats(FormatsRequest(device: "0"), options: bounded).formats
    for (maker, format) in zip(makers, formats) {
      #expect(format.jpegConversion == maker.conversion, "\(maker.format)")
      #expect(format.jpeg == (maker.conversion != .unspecified), "\(maker.format)")
    }
    #expect(formats.count == makers.count)
    await fixture.stop()
  }
}
