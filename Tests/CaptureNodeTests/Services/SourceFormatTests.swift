import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// Raw frames whose request names the camera's format of which they are made.
@Suite(.timeLimit(.minutes(1))) struct SourceFormatTests {
  private static func rendition(_ format: PixelFormat?, from source: PixelFormat) -> Rendition {
    Rendition(
      encoding: .raw, pixelFormat: format?.rawValue ?? 0, size: .init(width: 640, height: 480),
      sourcePixelFormat: source.rawValue)
  }

  @Test(arguments: [
    (PixelFormat.ar24 as PixelFormat?, PixelFormat.mjpeg), (.ar24, .yuyv), (.yuyv, .yuyv), (nil, .mjpeg),
    (nil, .yuyv),
  ])
  func anIdleCameraIsSetToTheFormatThatIsNamed(format: PixelFormat?, source: PixelFormat) async throws {
    let camera = FakeCamera()
    let fixture = try await Fixture(FakeProvider([camera]))
    let request = SubscribeRequest(device: "0", rendition: Self.rendition(format, from: source))
    let frames = try await fixture.video.subscribe(request, options: CallOptions())
    await eventually("it streams") { camera.state.withLock { $0.stream?.pixelFormat == source } }
    let other = source == .mjpeg ? PixelFormat.yuyv : .mjpeg
    let refusal = await status {
      let request = SubscribeRequest(
        device: "0", rendition: Self.rendition(format == nil ? nil : .ar24, from: other))
      for try await _ in try await fixture.video.subscribe(request, options: bounded) {}
    }
    #expect(refusal?.code == .failedPrecondition && refusal?.details?.reason == .heldByStream)
    #expect(refusal?.details?.field == "rendition.source_pixel_format")
    #expect(refusal?.details?.possible == ["\(source)"])
    withExtendedLifetime(frames) {}
    await fixture.stop()
  }

  @Test func whatTheCameraDoesNotHaveOrTheNodeDoesNotMakeIsRefused() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]))
    let wrong: [(String, Rendition)] = [
      ("rendition.source_pixel_format", Self.rendition(.ar24, from: .nv12)),
      ("rendition.source_pixel_format", Self.rendition(nil, from: .nv12)),
      ("rendition.pixel_format", Self.rendition(.yuyv, from: .mjpeg)),
      ("rendition.pixel_format", Rendition(pixelFormat: PixelFormat.ar24.rawValue)),
    ]
    for (field, rendition) in wrong {
      let refusal = await status {
        let request = SubscribeRequest(device: "0", rendition: rendition)
        for try await _ in try await fixture.video.subscribe(request, options: bounded) {}
      }
      #expect(refusal?.code == .invalidArgument && refusal?.details?.field == field, "\(refusal?.text ?? "")")
    }
    await fixture.stop()
  }
}
