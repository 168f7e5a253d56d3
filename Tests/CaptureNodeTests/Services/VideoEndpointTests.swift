import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct VideoEndpointTests {
  private func frames(_ count: Int, _ request: SubscribeRequest, _ fixture: Fixture) async throws
    -> [VideoFrame]
  {
    var frames: [VideoFrame] = []
    for try await frame in try await fixture.video.subscribe(request, options: bounded) {
      if frame.data != nil { frames.append(frame) }
      if frames.count == count { break }
    }
    return frames
  }

  @Test func framesComeAsJPEGAndTheirNumberingIsExplained() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    let frames = try await frames(30, SubscribeRequest(camera: "0", quality: 70), fixture)
    #expect(frames.allSatisfy { $0.data!.bytes.starts(with: [0xFF, 0xD8]) })
    #expect(frames[0].info?.size == Size(width: 320, height: 240))
    // On a machine that gives the camera no turn it loses frames itself.
    #expect(unexplained(frames) <= provider.camera(0)!.counters.lost)
    await fixture.stop()
  }

  @Test func rawFramesCarryTheirPlanes() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let request = SubscribeRequest(
      camera: "synthetic", encoding: .raw, pixelFormat: PixelFormat.yuyv.rawValue)
    let frame = try await frames(1, request, fixture)[0]
    #expect(frame.info?.planes.map(\.bytes) == [320 * 240 * 2])
    #expect(frame.data?.count == 320 * 240 * 2)
    await fixture.stop()
  }

  @Test func framesThatTheDriverLostAreTheOnlyGapLeft() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    let whole = try await fixture.video.subscribe(SubscribeRequest(camera: "0"), options: bounded)
    var holder = whole.makeAsyncIterator()
    _ = try await holder.next()
    var frames: [VideoFrame] = []
    for try await frame in try await fixture.video.subscribe(
      SubscribeRequest(camera: "0", rate: 50), options: bounded)
    {
      frames.append(frame)
      if frames.count == 5 { await provider.camera(0)?.inject(.lostFrames(3)) }
      if frames.count == 30 { break }
    }
    #expect((3...provider.camera(0)!.counters.lost).contains(unexplained(frames)))
    #expect(frames.dropFirst().contains { $0.thinned > 0 })
    await fixture.stop()
  }

  @Test func anUnpluggedCameraEndsItsStreamsWithinASecondAndComesBack() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    var unplugged: UInt64 = 0
    let error = await status {
      for try await _ in try await fixture.video.subscribe(SubscribeRequest(camera: "0"), options: bounded)
      where unplugged == 0 {
        unplugged = MonotonicClock.now()
        await provider.camera(0)?.inject(.unplug(.milliseconds(50)))
      }
    }
    #expect(error?.code == .unavailable)
    #expect(error?.text.contains("synthetic-0") == true)
    #expect(MonotonicClock.now() - unplugged < 1_000_000_000)
    var again: [VideoFrame]?
    for _ in 0..<1000 where again == nil {
      again = try? await frames(1, SubscribeRequest(camera: "0"), fixture)
      if again == nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(again?.count == 1)
    await fixture.stop()
  }

  @Test func anInterruptionIsAnnounced() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    var seen: [Discontinuity] = []
    for try await frame in try await fixture.video.subscribe(SubscribeRequest(camera: "0"), options: bounded)
    {
      if seen.isEmpty { await provider.camera(0)?.inject(.stall(.milliseconds(1500))) }
      if seen.last != frame.discontinuity { seen.append(frame.discontinuity) }
      if frame.discontinuity == .resumed { break }
    }
    #expect(seen == [.none, .interrupted, .resumed])
    await fixture.stop()
  }

  @Test func moreThanTheFirstSubscriberFixedIsRefusedNamingHim() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let size = Size(width: 160, height: 120)
    let stream = try await fixture.video.subscribe(
      SubscribeRequest(camera: "0", size: size, quality: 50), options: bounded)
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    let error = await status {
      _ = try await frames(1, SubscribeRequest(camera: "0", size: Size(width: 320, height: 240)), fixture)
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.text.contains("160x120 YUYV at 100 fps for client 1 (127.0.0.1:") == true)
    await fixture.stop()
  }

  @Test func drainingEndsStreamsWithUnavailable() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let stream = try await fixture.video.subscribe(SubscribeRequest(camera: "0"), options: bounded)
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    async let drained: Void = fixture.node.drain(grace: .seconds(5))
    let start = MonotonicClock.now()
    let error = await status { while try await iterator.next() != nil {} }
    #expect(error?.code == .unavailable)
    await drained
    #expect(MonotonicClock.now() - start < 3_000_000_000)
  }
}
