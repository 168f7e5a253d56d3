import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Who had a camera's stream before it was unplugged has it again, whoever comes back first.
@Suite struct ReturnTests {
  private static let hd = VideoRequest(size: FrameSize(width: 1280, height: 720))
  private static let fullHD = VideoRequest(size: FrameSize(width: 1920, height: 1080))

  /// A device whose camera streamed 1280x720, was unplugged and is back.
  private func replugged() async throws -> (Device, FakeCamera) {
    let (engine, camera) = try await repluggedEngine()
    return (try engine.device("usb-1"), camera)
  }

  private func repluggedEngine() async throws -> (CaptureEngine, FakeCamera) {
    let camera = FakeCamera("usb-1")
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .fake())
    await engine.attach(provider)
    let device = try engine.device("usb-1")
    let subscription = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
    provider.unplug(camera)
    _ = try? await subscription.waitUntilEnded()
    await device.unsubscribe(subscription)
    let back = FakeCamera("usb-1")
    provider.plug(back)
    await eventually("it is back") { engine.cameras[0].isPresent }
    return (engine, back)
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
    let (engine, camera) = try await repluggedEngine()
    let device = try engine.device("usb-1")
    let session = Task { try await engine.configureSession("door", .of("usb-1"), owner: someone) }
    await eventually("it waits") { await device.waitingForFormer == 1 }
    _ = try await device.subscribe(Self.hd, sink: TestSink(), holder: "first")
    let error = await #expect(throws: CaptureError.self) { _ = try await session.value }
    #expect(error?.code == .failedPrecondition && error?.message.contains("first") == true)
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1280, height: 720))
  }

  @Test func aNewSessionHasACameraToWhichNobodyComesBack() async throws {
    let (engine, _) = try await repluggedEngine()
    let session = try await engine.configureSession("door", .of("usb-1"), owner: someone)
    #expect(session.configuration.inputs.count == 1)
  }

  @Test func whereTheyDoNotComeBackAnotherDecides() async throws {
    let (device, camera) = try await replugged()
    _ = try await device.subscribe(Self.fullHD, sink: TestSink(), holder: "second")
    #expect(camera.state.withLock { $0.stream?.size } == FrameSize(width: 1920, height: 1080))
  }
}
