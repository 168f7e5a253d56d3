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

  @Test func formatsSayWhatCanBeDoneWithTheirFrames() async throws {
    let offered = ["YUYV", "MJPG", "RGGB", "H264"].map {
      FakeCamera.format(PixelFormat($0)!, ["640x480": [30]])
    }
    let fixture = try await Fixture(FakeProvider([FakeCamera(formats: offered)]))
    let formats = try await fixture.devices.formats(FormatsRequest(device: "0"), options: bounded).formats
    #expect(formats.map(\.maximumZoomFactor) == [8, 8, 8, 1])
    #expect(formats.map(\.maximumRawZoomFactor) == [8, 8, 1, 1])
    #expect(formats.map(\.rawTransform) == [true, false, false, false])
    #expect(formats.map(\.measurable) == [true, true, false, false])
    let targets = ["AR24", "RGB3", "NV12", "YU12", "GREY"].map { PixelFormat($0)!.rawValue }
    #expect(formats.map(\.convertedPixelFormats) == [targets, targets, targets, []])
    await fixture.stop()
  }

  /// What a format says is what a request for it comes to.
  @Test(arguments: ["YUYV", "RGGB"]) func rawFramesAreCroppedWhereTheFormatSaysSo(name: String) async throws {
    let format = FakeCamera.format(PixelFormat(name)!, ["640x480": [30]])
    let camera = FakeCamera(formats: [format])
    let fixture = try await Fixture(FakeProvider([camera]))
    let formats = try await fixture.devices.formats(FormatsRequest(device: "0"), options: bounded).formats
    let rendition = Rendition(
      encoding: .raw, pixelFormat: formats[0].pixelFormat, crop: Region(width: 0.5, height: 0.5))
    // A camera that gives no frames makes the call wait, however long.
    let options = formats[0].rawTransform ? CallOptions(timeout: .milliseconds(300)) : bounded
    let refusal = await status {
      let frames = try await fixture.video.subscribe(
        SubscribeRequest(device: "0", rendition: rendition), options: options)
      for try await _ in frames {}
    }
    #expect((refusal?.code == .invalidArgument) == !formats[0].rawTransform)
    #expect(refusal?.code == (formats[0].rawTransform ? .deadlineExceeded : .invalidArgument))
    await fixture.stop()
  }

  @Test func theZoomOfTheCameraWithPhysicsIsThatOfItsSettings() async throws {
    let (fixture, _) = try await Fixture.synthetic("synthetic:physics:320x240@30")
    let formats = try await fixture.devices.formats(FormatsRequest(device: "0"), options: bounded).formats
    let settings = try await fixture.settings.describe(DescribeSettingsRequest(device: "0"), options: bounded)
    let maximum = try #require(settings.zoom?.maximum)
    #expect(maximum > 1 && !formats.isEmpty)
    for format in formats {
      #expect(format.maximumZoomFactor == maximum && format.maximumRawZoomFactor == maximum)
    }
    await fixture.stop()
  }
}
