import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct SyntheticCameraTests {
  static let size = FrameSize(width: 160, height: 120)
  let camera = SyntheticCamera(.standard, index: 0) { _ in }
  let collector = Collector()

  private func start(_ format: PixelFormat = .yuyv, rate: Double = 100) async throws -> StreamFormat {
    try await camera.startStreaming(
      StreamRequest(pixelFormat: format, size: Self.size, interval: FrameInterval(rate: rate)),
      into: collector)
  }

  @Test func timestampsAreArithmetic() async throws {
    let before = MonotonicClock.now()
    _ = try await start(rate: 120)
    let first = try await collector.frame()
    let interval = FrameInterval(rate: 120)!
    // Frame 0 is the first, unless the machine was so busy that the camera lost that one, and counted it.
    #expect(first.sequence <= camera.counters.lost)
    let sinceStart = FrameSchedule(start: 0, interval: interval).due(first.sequence)
    let schedule = FrameSchedule(start: first.timestamp.nanoseconds - sinceStart, interval: interval)
    #expect(schedule.start >= before)
    for _ in 0..<30 {
      let frame = try await collector.frame()
      #expect(frame.timestamp.nanoseconds == schedule.due(frame.sequence))
      #expect(frame.timestamp.clock == .monotonic)
    }
    await camera.stopStreaming()
  }

  @Test(arguments: [(PixelFormat.yuyv, 38_400), (.nv12, 28_800), (.rggb8, 19_200)])
  func everyRawFormatHasItsBytes(format: PixelFormat, bytes: Int) async throws {
    let started = try await start(format)
    let frame = try await collector.frame()
    await camera.stopStreaming()
    #expect(frame.payload.count == bytes)
    #expect(started.planes.map(\.bytes) == [bytes])
    #expect(frame.format == started)
  }

  @Test func jpegsAreWhole() async throws {
    let started = try await start(.mjpeg)
    let frame = try await collector.frame()
    await camera.stopStreaming()
    #expect(
      frame.payload.withContiguousBytes { JPEGCheck($0, size: Self.size) }
        == .whole(count: frame.payload.count))
    #expect(started.isFullRange)
  }

  @Test func nothingIsMadeThatNobodyTakes() async throws {
    collector.setWanting(false)
    _ = try await start()
    while collector.asked.count < 10 { await Task.yield() }
    #expect(camera.counters.frames == 0)
    // None is lost but those that a busy machine never came to ask for.
    let (lost, count) = (camera.counters.lost, collector.asked.count)
    while collector.asked.count < count + 2 { await Task.yield() }
    let asked = collector.asked
    #expect(lost <= asked.last! + 1 - UInt64(asked.count))
    collector.setWanting(true)
    let frame = try await collector.frame()
    #expect(frame.sequence >= 10)
    await camera.stopStreaming()
  }

  @Test func heldBuffersCostFramesAndComeBack() async throws {
    _ = try await start()
    var held = try await collector.frames(RawRenderer.bufferCount)
    try await collector.first { if case .event(.buffersLow) = $0 { () } else { nil } }
    while camera.counters.lost == 0 { await Task.yield() }
    #expect(camera.counters.buffersLent == RawRenderer.bufferCount)
    held.removeAll()
    let next = try await collector.frame()
    #expect(next.sequence > UInt64(RawRenderer.bufferCount))
    await camera.stopStreaming()
    #expect(camera.counters.buffers == 0)
  }

  @Test func secondStreamIsRefused() async throws {
    _ = try await start()
    let error = await #expect(throws: CaptureError.self) { try await start() }
    #expect(error?.code == .failedPrecondition)
    await camera.stopStreaming()
    _ = try await start()
    await camera.stopStreaming()
  }

  @Test func impossibleStreamsAreRefusedWithWhatIsPossible() async throws {
    for (format, size, rate, part) in [
      (PixelFormat("H264")!, Self.size, 30.0, "YUYV, NV12, MJPG, RGGB"),
      (PixelFormat.yuyv, FrameSize(width: 162, height: 120), 30, "160x120"),
      (PixelFormat.yuyv, Self.size, 121, "1 fps to 120 fps"),
    ] {
      let request = StreamRequest(pixelFormat: format, size: size, interval: FrameInterval(rate: rate))
      let error = await #expect(throws: CaptureError.self) {
        try await camera.startStreaming(request, into: collector)
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
  }
}
