import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct SyntheticFaultTests {
  static let size = FrameSize(width: 160, height: 120)
  let camera = SyntheticCamera(.standard, index: 0) { _ in }
  let collector = Collector()

  /// Starts, and returns the first frame's number.
  @discardableResult
  private func start(_ format: PixelFormat = .yuyv) async throws -> UInt64 {
    _ = try await camera.startStreaming(
      StreamRequest(pixelFormat: format, size: Self.size, interval: FrameInterval(rate: 25)), into: collector
    )
    return try await collector.frame().sequence
  }

  @Test func stallIsToldAndThenItsEnd() async throws {
    try await start()
    await camera.inject(.stall(.seconds(60)))
    try await collector.first { if case .event(.interrupted) = $0 { () } else { nil } }
    await camera.inject(.stall(.zero))
    let frame = try await collector.frame()
    #expect(frame.discontinuity?.kind == .resumed)
    #expect(try await collector.frame().discontinuity == nil)
    #expect(camera.counters.restarts == 1)
    #expect(camera.counters.lost >= 25)
    await camera.stopStreaming()
  }

  @Test(arguments: [SyntheticFault.lostFrames(3), .flaggedFrames(3)])
  func missingFramesLeaveAGap(fault: SyntheticFault) async throws {
    var last = try await start()
    await camera.inject(fault)
    var missing: UInt64 = 0
    func faulty() -> UInt64 { fault == .lostFrames(3) ? camera.counters.lost : camera.counters.flagged }
    // A busy machine may lose more, before and after.
    while faulty() < 3 || missing < 3 {
      let next = try await collector.frame().sequence
      (missing, last) = (missing + next - last - 1, next)
    }
    #expect(fault == .lostFrames(3) ? faulty() >= 3 : faulty() == 3)
    await camera.stopStreaming()
  }

  @Test func truncatedJPEGIsFoundOutAndTheNextIsWhole() async throws {
    try await start(.mjpeg)
    await camera.inject(.truncatedFrames(1))
    @Sendable func isWhole(_ frame: Frame) -> Bool {
      frame.payload.withContiguousBytes { JPEGCheck($0, size: Self.size) }
        == .whole(count: frame.payload.count)
    }
    _ = try await collector.frame { !isWhole($0) }
    _ = try await collector.frame { isWhole($0) }
    await camera.stopStreaming()
  }

  @Test func corruptJPEGDoesNotDecode() async throws {
    try await start(.mjpeg)
    await camera.inject(.corruptFrames(1))
    let frame = try await collector.frame { frame in
      (try? JPEGEncoder().encode(frame, into: PayloadPool())) == nil
    }
    #expect(
      frame.payload.withContiguousBytes { JPEGCheck($0, size: Self.size) }
        == .whole(count: frame.payload.count))
    await camera.stopStreaming()
  }

  @Test func controlsCanBeSlow() async throws {
    await camera.inject(.slowControls(.milliseconds(50)))
    let start = MonotonicClock.now()
    _ = try await camera.controls()
    #expect(MonotonicClock.now() - start >= 50_000_000)
  }

  @Test(.timeLimit(.minutes(1))) func aSlowControlEndsWithTheFault() async throws {
    await camera.inject(.slowControls(.seconds(3600)))
    let call = Task { [camera] in
      try await camera.set([ControlAssignment(ControlID.brightness, .integer(50))])
    }
    await camera.inject(.slowControls(.zero))
    try await call.value
    #expect(try await camera.values(of: [ControlID.brightness]) == [.integer(50)])
  }

  @Test func faultsComeOverControlsToo() async throws {
    try await start()
    try await camera.set([ControlAssignment(SyntheticControls.flaggedFrames, .integer(2))])
    // Frames that came before may still wait here.
    while camera.counters.flagged < 2 { _ = try await collector.frame() }
    _ = try await collector.frames(2)
    #expect(camera.counters.flagged == 2)
    #expect(try await camera.values(of: [SyntheticControls.flaggedFrames]) == [.integer(0)])
    await camera.stopStreaming()
  }

  @Test func unpluggedCameraEndsAndComesBackUnderItsIdentity() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: CameraProviderEvent.self)
    let provider = SyntheticProvider(cameras: [.standard])
    await provider.start { continuation.yield($0) }
    let camera = try #require(provider.camera(0))
    _ = try await camera.startStreaming(
      StreamRequest(pixelFormat: .yuyv, size: Self.size), into: collector)
    await camera.inject(.unplug(.milliseconds(50)))
    let error = try await collector.first { if case .event(.ended(let error)) = $0 { error } else { nil } }
    #expect(error.code == .unavailable)
    let refused = await #expect(throws: CaptureError.self) { try await camera.controls() }
    #expect(refused?.code == .unavailable)

    var seen: [String] = []
    for await event in events {
      switch event {
      case .appeared(let camera): seen.append("+\(camera.description.id)")
      case .vanished(let id): seen.append("-\(id)")
      }
      if seen.count == 3 { break }
    }
    #expect(seen == ["+synthetic-0", "-synthetic-0", "+synthetic-0"])
    let again = try #require(provider.camera(0))
    #expect(again !== camera)
    #expect(try await again.formats().isEmpty == false)
    await provider.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aSlowSetThatIsCancelledIsNotDoneLater() async throws {
    await camera.inject(.slowControls(.seconds(3600)))
    let call = Task { [camera] in
      try await camera.set([ControlAssignment(ControlID.brightness, .integer(50))])
    }
    call.cancel()
    let error = await #expect(throws: CaptureError.self) { try await call.value }
    #expect(error?.code == .cancelled)
    await camera.inject(.slowControls(.zero))
    #expect(try await camera.values(of: [ControlID.brightness]) == [.integer(0)])
  }
}
