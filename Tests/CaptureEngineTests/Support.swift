import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

/// An engine with fake cameras.
func engine(_ cameras: FakeCamera..., imaging: Imaging = .fake()) async -> CaptureEngine {
  let engine = CaptureEngine(imaging: imaging)
  await engine.attach(FakeProvider(cameras))
  return engine
}

/// Checks `condition` until it holds, at most 5 s. `looks`: how often, 2 ms apart: on a busy machine these are as late as what they wait for.
func eventually(
  _ what: Comment, looks: Int = 2500, sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async -> Bool
) async {
  for _ in 0..<looks {
    if await condition() { return }
    try? await Task.sleep(for: .milliseconds(2))
  }
  Issue.record(what, sourceLocation: sourceLocation)
}

/// What `work` comes to, while `step` is done over and over.
func outcome<Value: Sendable>(
  of work: @escaping @Sendable () async throws -> Value, while step: () async -> Void
) async throws -> Value {
  let isOver = Mutex(false)
  let task = Task {
    defer { isOver.withLock { $0 = true } }
    return try await work()
  }
  await eventually("it is done") {
    if !isOver.withLock({ $0 }) { await step() }
    return isOver.withLock { $0 }
  }
  return try await task.value
}

extension ControlDescription {
  /// The controls of an exposure that is set by hand alone.
  static let manualExposure = [
    ControlDescription(
      id: .autoExposure, name: "auto_exposure", label: "Exposure", type: .menu, minimum: 1, maximum: 1,
      defaultValue: 1, menu: [.init(index: 1, content: .name("Manual Mode"))]),
    ControlDescription(
      id: .exposureAbsolute, name: "exposure_time_absolute", label: "Time", type: .integer, minimum: 1,
      maximum: 5000, defaultValue: 100),
  ]
}

extension VideoRequest {
  static let rawVGA = VideoRequest(
    encoding: .raw, pixelFormat: .yuyv, size: FrameSize(width: 640, height: 480))
  static func jpegVGA(quality: Int) -> VideoRequest {
    VideoRequest(size: FrameSize(width: 640, height: 480), quality: quality)
  }
}
