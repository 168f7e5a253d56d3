import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A camera that streams 640x480 for a viewer, and gives frames while a photo waits for one.
struct SwitchRig {
  let camera: FakeCamera
  let provider: FakeProvider
  let engine: CaptureEngine
  let device: Device
  let sink = TestSink()
  let subscription: FrameSubscription

  static let small = VideoRequest(size: FrameSize(width: 640, height: 480))

  init(
    _ camera: FakeCamera = FakeCamera(), asking request: VideoRequest = small, imaging: Imaging = .fake()
  ) async throws {
    self.camera = camera
    provider = FakeProvider([camera])
    engine = CaptureEngine(imaging: imaging)
    // However busy the machine is.
    await engine.waitAtEnd(.seconds(20))
    await engine.attach(provider)
    device = try engine.device("0")
    subscription = try await device.subscribe(request, sink: sink, holder: "viewer")
  }

  /// The size that the camera streams; `nil`: it does not.
  var size: FrameSize? { camera.state.withLock { $0.stream?.size } }
  var starts: Int { camera.state.withLock(\.starts) }

  /// Without a bound on what frames show: each photo takes the first frame.
  static func large(_ size: FrameSize? = nil, settling: Duration? = .zero) -> PhotoRequest {
    var frame = VideoRequest(size: size)
    frame.settling = settling
    var request = PhotoRequest(frame)
    request.fullSize = .switch
    return request
  }

  static func of(_ fullSize: FullSize, _ size: FrameSize? = nil) -> PhotoRequest {
    var request = large(size)
    request.fullSize = fullSize
    return request
  }

  func photo(_ request: PhotoRequest = large()) async throws -> Photo {
    try await outcome { [device] in
      try await device.run { try await $0.photos.capture(request, on: $0, requested: 0) { _ in } }
    } while: {
      await step()
    }
  }

  func begin(_ request: PhotoRequest = large()) -> Task<Photo, any Error> {
    Task { [device] in
      try await device.run { try await $0.photos.capture(request, on: $0, requested: 0) { _ in } }
    }
  }

  /// A photo whose camera is switched, and that waits for its frame.
  func switched() async -> Task<Photo, any Error> {
    let task = begin()
    await eventually("the camera is switched") {
      if size?.width == 1920, await device.isPhotoAwaited { return true }
      // A frame that is emitted once it is switched would be the photo.
      if let hub = await device.stream?.hub, hub.consumers.contains(where: { $0 is PhotoConsumer }) {
        camera.emit(to: hub)
      }
      return false
    }
    return task
  }

  /// The error of a photo whose format the driver answers with another size. Its stream starts again as it was.
  func refusalOfAnotherSize(_ request: PhotoRequest) async -> CaptureError? {
    camera.state.withLock { $0.holdsStarting = true }
    let task = begin(request)
    await eventually("it is being changed") {
      await step()
      return camera.isHolding
    }
    camera.state.withLock { $0.otherSize = FrameSize(width: 1280, height: 720) }
    camera.releaseStart(holdsNext: true)
    await eventually("it is being changed back") { starts == 2 && camera.isHolding }
    camera.state.withLock { $0.otherSize = nil }
    camera.releaseStart()
    return await refusal {
      _ = try await outcome {
        try await task.value
      } while: {
        await step()
      }
    }
  }

  /// A frame, where a photo waits for one.
  func step() async {
    if await device.isPhotoAwaited { camera.emit() }
  }
}

extension Device {
  /// Whether a photo waits for a frame, of the stream or of the format to which the camera is switched.
  var isPhotoAwaited: Bool {
    (photos.formatSwitch.hub ?? stream?.hub)?.consumers.contains { $0 is PhotoConsumer } == true
  }
}
