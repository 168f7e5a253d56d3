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
    let frames = try await frames(
      30, SubscribeRequest(device: "0", rendition: Rendition(quality: 70)), fixture)
    #expect(frames.allSatisfy { $0.data!.bytes.starts(with: [0xFF, 0xD8]) })
    #expect(frames[0].info?.size == Size(width: 320, height: 240))
    // On a machine that gives the camera no turn it loses frames itself.
    #expect(unexplained(frames) <= provider.camera(0)!.counters.lost)
    await fixture.stop()
  }

  @Test func rawFramesCarryTheirPlanes() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let request = SubscribeRequest(
      device: "synthetic", rendition: Rendition(encoding: .raw, pixelFormat: PixelFormat.yuyv.rawValue))
    let frame = try await frames(1, request, fixture)[0]
    #expect(frame.info?.planes.map(\.bytes) == [320 * 240 * 2])
    #expect(frame.data?.count == 320 * 240 * 2)
    await fixture.stop()
  }

  @Test func framesThatTheDriverLostAreTheOnlyGapLeft() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    let whole = try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded)
    var holder = whole.makeAsyncIterator()
    _ = try await holder.next()
    var frames: [VideoFrame] = []
    for try await frame in try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rate: 50), options: bounded)
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
    // Timers of a process that has its processors are late by less than a millisecond.
    let witness = LatenessWitness(on: .anyProcessor, every: 1_000_000, tolerance: 1_000_000) { $0 }
    var unplugged: UInt64 = 0
    let error = await status {
      for try await _ in try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded)
      where unplugged == 0 {
        _ = witness.take()
        unplugged = MonotonicClock.now()
        await provider.camera(0)?.inject(.unplug(.milliseconds(50)))
      }
    }
    #expect(error?.code == .unavailable)
    #expect(error?.text.contains("synthetic-0") == true)
    let ended = MonotonicClock.now()
    // But for the time for which this process waited for a processor.
    #expect(ended - unplugged < 1_000_000_000 + UInt64(witness.end()))
    var again: [VideoFrame]?
    for _ in 0..<1000 where again == nil {
      again = try? await frames(1, SubscribeRequest(device: "0"), fixture)
      if again == nil { try await Task.sleep(for: .milliseconds(5)) }
    }
    #expect(again?.count == 1)
    await fixture.stop()
  }

  @Test func anInterruptionIsAnnounced() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    var seen: [Discontinuity] = []
    for try await frame in try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded)
    {
      if seen.isEmpty { await provider.camera(0)?.inject(.stall(.seconds(60))) }
      if frame.discontinuity == .interrupted { await provider.camera(0)?.inject(.stall(.zero)) }
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
      SubscribeRequest(device: "0", rendition: Rendition(size: size, quality: 50)), options: bounded)
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    let error = await status {
      _ = try await frames(
        1, SubscribeRequest(device: "0", rendition: Rendition(size: Size(width: 320, height: 240))), fixture)
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.text.contains("160x120 YUYV at 100 fps for client 1 (127.0.0.1:") == true)
    await fixture.stop()
  }

  @Test func drainingEndsStreamsWithUnavailable() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let stream = try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded)
    var iterator = stream.makeAsyncIterator()
    _ = try await iterator.next()
    async let drained: Void = fixture.node.drain(grace: .seconds(5))
    let start = MonotonicClock.now()
    let error = await status { while try await iterator.next() != nil {} }
    #expect(error?.code == .unavailable)
    await drained
    #expect(MonotonicClock.now() - start < 3_000_000_000)
  }

  @Test func aTapIsConvertedToAPointOfInterestAndBack() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let request = ConvertPointsRequest(
      picture: Size(width: 640, height: 480), region: Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
      mirrored: true, viewWidth: 640, viewHeight: 640,
      viewPoints: [Point(x: 160, y: 320), Point(x: 320, y: 10)],
      devicePoints: [Point(x: 0.625, y: 0.5), Point(x: 0, y: 0)])
    let answer = try await fixture.video.convertPoints(request, options: bounded)
    #expect(
      answer.devicePoints == [
        ConvertedPoint(point: Point(x: 0.625, y: 0.5), visible: true),
        ConvertedPoint(point: Point(x: 0.5, y: 0.25), visible: false),
      ])
    #expect(
      answer.viewPoints == [
        ConvertedPoint(point: Point(x: 160, y: 320), visible: true),
        ConvertedPoint(point: Point(x: 640, y: 80), visible: false),
      ])
    var bad: [ConvertPointsRequest] = Array(repeating: request, count: 7)
    bad[0].picture = nil
    bad[1].viewWidth = 0
    bad[2].orientation = 45
    bad[3].region = Region(x: 0.9, width: 0.9, height: 1)
    bad[4].gravity = .init(rawValue: 4)
    bad[5].devicePoints = [Point(x: 1.5, y: 0)]
    bad[6].viewPoints = Array(repeating: Point(x: 1, y: 1), count: 257)
    for request in bad {
      let error = await status { _ = try await fixture.video.convertPoints(request, options: bounded) }
      #expect(error?.code == .invalidArgument, "\(request)")
    }
    await fixture.stop()
  }

  @Test func aFrameSaysWhenItWasExposed() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let frame = try await frames(1, SubscribeRequest(device: "0"), fixture)[0]
    let info = try #require(frame.info)
    let (exposure, utc) = (try #require(info.exposure), try #require(info.utc))
    #expect(exposure.startNs < exposure.endNs && exposure.uncertaintyNs > 0)
    #expect(
      exposure.startNs <= info.timestampNs + 1 && info.timestampNs <= exposure.endNs + exposure.uncertaintyNs)
    let before = UTCClock().reading(at: info.timestampNs).nanoseconds
    #expect(abs(before - utc.ns) < 100_000_000)
    await fixture.stop()
  }
}
