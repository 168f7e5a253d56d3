import CaptureModel
import CaptureSynthetic
import Synchronization

extension CaptureBench {
  /// Measures the cost of a synthetic camera's own work: YUYV frames that nobody encodes or sends.
  static func measureSource(_ spec: String, count: Int) async throws {
    let (camera, provider, spec) = try await syntheticCamera(spec)
    let (frames, delivered) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .unbounded)
    let request = StreamRequest(pixelFormat: .yuyv, size: spec.size, interval: spec.interval)
    _ = try await camera.startStreaming(request, into: FrameCounter(delivered))
    let meter = try ProcessMeter.own()
    var before = 0.0
    var seen = -3  // The first three frames warm up.
    for await _ in frames {
      seen += 1
      if seen == 0 { before = meter.cpu }
      if seen == count { break }
    }
    let cpu = meter.cpu - before
    await camera.stopStreaming()
    await provider.stop()
    report(["cpu_ms_per_frame": cpu * 1e3 / Double(count)])
  }

  /// The camera that `text` describes. The caller stops its provider in the end.
  static func syntheticCamera(_ text: String) async throws -> (any Camera, SyntheticProvider, SyntheticSpec) {
    guard let spec = try SyntheticSpec.parse(text) else { throw Usage() }
    let provider = SyntheticProvider(cameras: [spec])
    let (cameras, announced) = AsyncStream.makeStream(of: (any Camera).self)
    await provider.start { event in
      if case .appeared(let camera) = event { announced.yield(camera) }
    }
    guard let camera = await cameras.first(where: { _ in true }) else {
      throw Failure("the camera \(text) does not appear")
    }
    return (camera, provider, spec)
  }
}

/// Takes every frame and lets it go.
private final class FrameCounter: FrameReceiver {
  private let delivered: AsyncStream<Void>.Continuation

  init(_ delivered: AsyncStream<Void>.Continuation) { self.delivered = delivered }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { true }
  func received(_ frame: Frame) { delivered.yield() }
  func streamEvent(_ event: StreamEvent) {}
}
