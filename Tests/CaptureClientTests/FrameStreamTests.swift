import CaptureModel
import CaptureSystem
import CaptureWire
import Synchronization
import Testing

@testable import CaptureClient

@Suite struct FrameStreamTests {
  private func frame(
    _ sequence: UInt64, at timestamp: UInt64 = 0, clock: TimestampClock = .monotonic, discarded: UInt64 = 0,
    _ discontinuity: Discontinuity = .none
  ) -> RawMessage {
    VideoFrame(
      info: FrameInfo(sequence: sequence, timestampNs: timestamp, timestampClock: clock),
      discarded: discarded, discontinuity: discontinuity, reason: discontinuity == .none ? "" : "a reason",
      data: Payload(copying: [1, 2, 3])
    ).raw()
  }

  private func node(_ answer: FakeConnection.Answer, offset: Int64? = 0) -> RemoteNode {
    RemoteNode(FakeConnection([VideoMethods.subscribe: answer], offset: offset))
  }

  @Test func framesComeInOrderWithWhatIsKnownAboutThem() async throws {
    let node = node(.init(messages: [frame(4), frame(7, discarded: 2), frame(8, .resumed)]))
    var frames: [ReceivedFrame] = []
    for try await frame in node.camera("0").videoOutput.frames() { frames.append(frame) }
    #expect(frames.map(\.info.sequence) == [4, 7, 8])
    #expect(frames.map(\.discarded) == [0, 2, 0])
    #expect(frames.map(\.payload.bytes) == Array(repeating: [1, 2, 3], count: 3))
    #expect(frames.map(\.discontinuity) == [nil, nil, StreamDiscontinuity(.resumed, reason: "a reason")])
  }

  @Test func aFrameSaysByItselfWhatPlaceOfTheSensorItShowsWhere() async throws {
    let info = FrameInfo(
      size: Size(width: 480, height: 640), region: Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5),
      orientation: 90, mirrored: true)
    let node = node(.init(messages: [VideoFrame(info: info, data: Payload(copying: [1])).raw()]))
    var frames: [ReceivedFrame] = []
    for try await frame in node.camera("0").videoOutput.frames() { frames.append(frame) }
    let view = try #require(try frames.first?.view(in: ViewSize(width: 240, height: 320)))
    let point = try #require(view.devicePoint(forViewPoint: ViewPoint(x: 60, y: 320)))
    // The picture's 0.25, 1 was 0.75, 1 before the mirror, and 1, 0.25 before the turn.
    #expect(abs(point.x - 0.75) < 1e-9 && abs(point.y - 0.375) < 1e-9)
  }

  @Test func latencyIsCountedOverTheOffsetOfTheClocks() async throws {
    let offset: Int64 = 5_000_000_000_000
    let captured = MonotonicClock.now() &- 40_000_000 &+ UInt64(offset)
    let node = node(
      .init(messages: [frame(0, at: captured), frame(1, at: captured, clock: .unknown)]), offset: offset)
    var latencies: [Duration?] = []
    for try await frame in node.camera("0").videoOutput.frames() { latencies.append(frame.latency) }
    let latency = try #require(latencies[0])
    #expect(latency >= .milliseconds(40) && latency < .seconds(10))
    #expect(latencies[1] == nil)
  }

  @Test func anInterruptionIsToldAndIsNoFrame() async throws {
    let announcement = VideoFrame(discontinuity: .interrupted, reason: "stalled").raw()
    let node = node(.init(messages: [frame(0), announcement, frame(9, .resumed)]))
    let told = Mutex<[String]>([])
    let options = StreamOptions(onInterruption: { reason in told.withLock { $0.append(reason) } })
    var count = 0
    for try await _ in node.camera("0").videoOutput.frames(options: options) { count += 1 }
    #expect(count == 2)
    #expect(told.withLock { $0 } == ["stalled"])
  }

  @Test func whatWasLeftOutBeforeAnInterruptionIsNotLostByTheCamera() async throws {
    let announcement = VideoFrame(discarded: 2, thinned: 1, discontinuity: .interrupted, reason: "stalled")
    let node = node(
      .init(messages: [frame(0), announcement.raw(), frame(5, discarded: 1, .resumed), frame(6)]))
    var frames: [ReceivedFrame] = []
    var statistics = StreamStatistics()
    for try await frame in node.camera("0").videoOutput.frames() {
      frames.append(frame)
      statistics.add(frame)
    }
    #expect(frames.map(\.discarded) == [0, 3, 0] && frames.map(\.thinned) == [0, 1, 0])
    #expect(statistics.discarded == 3 && statistics.sequenceGaps == 0)
  }

  @Test(.timeLimit(.minutes(1))) func framesComeFromANodeThatAnswersNoPings() async throws {
    let node = node(.init(messages: [frame(0), frame(1)]), offset: nil)
    var latencies: [Duration?] = []
    for try await frame in node.camera("0").videoOutput.frames() { latencies.append(frame.latency) }
    #expect(latencies == [nil, nil])
  }

  @Test func silenceEndsTheStreamWithDeadlineExceeded() async throws {
    let node = node(.init(messages: [frame(0)], ending: nil))
    let frames = node.camera("0").videoOutput.frames(options: StreamOptions(timeout: .milliseconds(500)))
    var iterator = frames.makeAsyncIterator()
    #expect(try await iterator.next(isolation: nil)?.info.sequence == 0)
    let error = await #expect(throws: CaptureError.self) { while try await iterator.next() != nil {} }
    #expect(error?.code == .deadlineExceeded)
  }

  @Test func timeSpentWithAFrameIsNoSilence() {
    var silence = Silence(limit: .milliseconds(30))
    #expect(silence.rest(now: 1_000_000_000) == .milliseconds(30))
    silence.beginWaiting(now: 1_000_000_000)
    #expect(silence.rest(now: 1_020_000_000) == .milliseconds(10))
    silence.endWaiting()
    #expect(silence.rest(now: 2_000_000_000) == .milliseconds(30))
    silence.beginWaiting(now: 2_000_000_000)
    #expect(silence.rest(now: 2_029_000_000) == .milliseconds(1) && !silence.hasExpired)
    #expect(silence.rest(now: 2_030_000_000) == nil && silence.hasExpired)
  }

  @Test func cancellingTheReaderEndsIt() async throws {
    let node = node(.init(messages: [], ending: nil))
    let task = Task {
      for try await _ in node.camera("0").videoOutput.frames(options: StreamOptions(timeout: nil)) {}
    }
    task.cancel()
    let error = await #expect(throws: CaptureError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func theNodesRefusalIsThrown() async throws {
    let refusal = RPCError(.failedPrecondition, "held by another client", .init(.leaseHeld, holder: "x"))
    let node = node(.init(ending: .failure(refusal)))
    let error = await #expect(throws: CaptureError.self) {
      for try await _ in node.camera("0").videoOutput.frames() {}
    }
    #expect(
      error == CaptureError(.failedPrecondition, "held by another client", .init(.leaseHeld, holder: "x")))
  }
}
