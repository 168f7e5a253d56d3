import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Who had a camera's stream before it was unplugged has it again, whoever comes back first.
@Suite struct ReturnTests {
  private static let hd = VideoRequest(size: FrameSize(width: 1280, height: 720))
  private static let fullHD = VideoRequest(size: FrameSize(width: 1920, height: 1080))

  /// A device whose camera streamed 1280x720, was unplugged and is back.
  private func replugged(_ former: VideoRequest = hd) async throws -> (Device, FakeCamera) {
    let (engine, camera, _) = try await repluggedEngine(former)
    return (try engine.device("usb-1"), camera)
  }

  private func repluggedEngine(_ former: VideoRequest = hd)
    async throws -> (CaptureEngine, FakeCamera, FakeProvider)
  {
    let camera = FakeCamera("usb-1")
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("usb-1")
    // However busy the machine is.
    await device.waitForFormer(.seconds(300))
    let subscription = try await device.subscribe(former, sink: TestSink(), holder: "first")
    provider.unplug(camera)
    _ = try? await subscription.waitUntilEnded()
    await device.unsubscribe(subscription)
    let back = FakeCamera("usb-1")
    provider.plug(back)
    await eventually("it is back") { engine.cameras[0].isPresent }
    return (engine, back, provider)
  }

  @Test func whoTakesWhatComesGetsTheFormerFormat() async throws {
    let (device, camera) = try await replugged()
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "second")
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
    _ = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
  }

  @Test func whoAsksForAnotherFormatWaitsForThoseWhoHadIt() async throws {
    let (device, camera) = try await replugged()
    let other = Task { try await device.subscribe(Self.fullHD, sink: TestSink(), holder: "second") }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    #expect(camera.state.withLock(\.starts) == 0)
    _ = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
    let error = await #expect(throws: CaptureError.self) { _ = try await other.value }
    #expect(error?.code == .failedPrecondition)
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
  }

  @Test func aNewSessionWaitsForThoseWhoHadIt() async throws {
    let (engine, camera, _) = try await repluggedEngine()
    let device = try engine.device("usb-1")
    let session = Task { try await engine.configureSession("door", .of("usb-1"), owner: someone) }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    _ = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
    let error = await #expect(throws: CaptureError.self) { _ = try await session.value }
    #expect(error?.code == .failedPrecondition && error?.message.contains("first") == true)
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
  }

  @Test func aNewSessionHasACameraToWhichNobodyComesBack() async throws {
    let (engine, _, _) = try await repluggedEngine()
    let device = try engine.device("usb-1")
    let session = Task { try await engine.configureSession("door", .of("usb-1"), owner: someone) }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    await device.waitForFormer(.zero)
    #expect(try await session.value.configuration.inputs.count == 1)
  }

  @Test func whereTheyDoNotComeBackAnotherDecides() async throws {
    let (device, camera) = try await replugged()
    await device.waitForFormer(.milliseconds(200))
    _ = try await device.subscribe(Self.fullHD, sink: TestSink(), holder: "second")
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1920, height: 1080))
  }

  // MARK: A photo before them

  /// A photo that waits for its frame.
  private func photo(of device: Device) async -> Task<Picture, any Error> {
    let photo = Task { try await device.capturePhoto(VideoRequest(), requested: 0) { _ in } }
    await eventually("the photo waits for its frame") { await device.isPhotoAwaited }
    return photo
  }

  @Test func aPhotoBeforeThemLetsNobodyElseIn() async throws {
    let (device, camera) = try await replugged()
    let photo = await photo(of: device)
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1920, height: 1080))
    let other = Task { try await device.subscribe(Self.fullHD, sink: TestSink(), holder: "second") }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    // It does not fit the photo's stream, and waits until that is over.
    let first = Task { try await device.subscribe(Self.hd, sink: TestSink(), holder: "first") }
    camera.emit()
    _ = try await photo.value
    _ = try await first.value
    let error = await #expect(throws: CaptureError.self) { _ = try await other.value }
    #expect(error?.code == .failedPrecondition)
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
  }

  @Test func aNewSessionWaitsForThemBehindAPhotoToo() async throws {
    let (engine, camera, _) = try await repluggedEngine()
    let device = try engine.device("usb-1")
    let photo = await photo(of: device)
    let session = Task { try await engine.configureSession("door", .of("usb-1"), owner: someone) }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    camera.emit()
    _ = try await photo.value
    _ = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
    let error = await #expect(throws: CaptureError.self) { _ = try await session.value }
    #expect(error?.code == .failedPrecondition && error?.message.contains("first") == true)
  }

  /// By itself that would be 1280x720.
  @Test func whoJoinsThePhotoAndTakesWhatComesGetsTheFormerFormat() async throws {
    let (device, camera) = try await replugged(.jpegVGA(quality: 80))
    let photo = await photo(of: device)
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "second")
    camera.emit()
    _ = try await photo.value
    await eventually("it is theirs") {
      camera.state.withLock { $0.stream?.size } == FrameSize(width: 640, height: 480)
    }
  }

  /// Another, to whom the former pixel format is of no use, comes when their time is over. The one who took the former format leaves, or stays.
  @Test(arguments: [true, false])
  func whereTheFormerFormatDoesNotDoTheRequestsDecide(leaves: Bool) async throws {
    let (device, camera) = try await replugged(.jpegVGA(quality: 80))
    let photo = await photo(of: device)
    let second = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "second")
    let motionJPEG = VideoRequest(pixelFormat: .mjpeg)
    let other = Task { try await device.subscribe(motionJPEG, sink: TestSink(), holder: "third") }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    await device.waitForFormer(.zero)
    _ = try await other.value
    if leaves { await device.unsubscribe(second) }
    camera.emit()
    _ = try await photo.value
    await eventually("it is as they asked") {
      camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720)
    }
  }

  @Test func whereTheCameraRefusesTheFormerFormatTheRequestDecides() async throws {
    let (device, camera) = try await replugged(.jpegVGA(quality: 80))
    let photo = await photo(of: device)
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "second")
    camera.state.withLock { $0.startError = CaptureError(.invalidArgument, "no such format") }
    camera.emit()
    _ = try await photo.value
    await eventually("it is as asked") {
      camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720)
    }
  }

  @Test func aCameraThatGoesWhileTheFormerFormatComesBackHasItStill() async throws {
    let (engine, camera, provider) = try await repluggedEngine(.jpegVGA(quality: 80))
    let device = try engine.device("usb-1")
    let photo = await photo(of: device)
    let second = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "second")
    camera.state.withLock { $0.holdsStarting = true }
    camera.emit()
    _ = try await photo.value
    await eventually("the stream begins again") { camera.state.withLock(\.heldStarting.count) == 1 }
    provider.unplug(camera)
    _ = try? await second.waitUntilEnded()
    camera.releaseStart()
    let back = FakeCamera("usb-1")
    provider.plug(back)
    await eventually("it is back") { engine.cameras[0].isPresent }
    _ = try await device.subscribe(VideoRequest(), sink: TestSink(), holder: "third")
    #expect(back.state.withLock { $0.stream?.size } == FrameSize(width: 640, height: 480))
  }
}
