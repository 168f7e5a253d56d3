import CaptureImaging
import CaptureModel
import CaptureSynthetic
import Synchronization

extension CaptureBench {
  /// Measures the cost of metering a frame for the node's own focus, exposure and white balance and, for comparison, that of copying the frame.
  static func measureMetering(_ spec: String, _ format: PixelFormat, count: Int) async throws {
    let frame = try await firstFrame(spec, format)
    let frameMeter = FrameMeter()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.payload.count, alignment: 4096)
    defer { copy.deallocate() }
    let meter = try ProcessMeter.own()
    var (measuring, copying) = (0.0, 0.0)
    for index in -count / 10..<count {  // The runs with negative numbers warm up.
      let start = meter.cpu
      _ = try frameMeter.measure(frame)
      let middle = meter.cpu
      copy.copyMemory(from: frame.payload.segments[0])
      let end = meter.cpu
      guard index >= 0 else { continue }
      measuring += middle - start
      copying += end - middle
    }
    report([
      "meter_ms": measuring * 1e3 / Double(count), "copy_ms": copying * 1e3 / Double(count),
      "ratio": measuring / copying,
    ])
  }

  /// The first frame of a synthetic camera, which is stopped afterwards.
  static func firstFrame(_ spec: String, _ format: PixelFormat) async throws -> Frame {
    let (camera, provider, spec) = try await syntheticCamera(spec)
    let (frames, delivered) = AsyncStream.makeStream(of: Frame.self)
    let request = StreamRequest(pixelFormat: format, size: spec.size, interval: spec.interval)
    _ = try await camera.startStreaming(request, into: FrameTaker(delivered))
    guard let frame = await frames.first(where: { _ in true }) else {
      throw Failure("the camera gives no frame")
    }
    await camera.stopStreaming()
    await provider.stop()
    return frame
  }
}

/// Takes one frame.
private final class FrameTaker: FrameReceiver {
  private let delivered: AsyncStream<Frame>.Continuation

  init(_ delivered: AsyncStream<Frame>.Continuation) { self.delivered = delivered }

  func wantsFrame(sequence: UInt64, timestamp: UInt64) -> Bool { true }
  func received(_ frame: Frame) {
    delivered.yield(frame)
    delivered.finish()
  }
  func streamEvent(_ event: StreamEvent) {}
}
