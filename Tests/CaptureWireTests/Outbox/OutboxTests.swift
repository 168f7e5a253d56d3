import CaptureSystem
import Synchronization
import Testing

@testable import CaptureWire

@Suite struct OutboxTests {
  static let pattern = (0..<700_000).map { UInt8(truncatingIfNeeded: $0) }

  static func payload(_ count: Int, _ release: @escaping @Sendable () -> Void = {}) -> Payload {
    let copied = Payload(copying: pattern[..<count])
    return Payload(lending: copied.segments) {
      _ = copied
      release()
    }
  }

  static func frame(_ node: ServerFixture, _ count: Int, discards: UInt64 = 0) throws {
    let message = RawMessage(body: [9], payload: payload(count))
    try node.state.send(1, message, reportedDiscards: discards)
  }

  static func streaming() -> ServerFixture {
    let node = ServerFixture()
    node.open(1, "t.S/Down", credit: 100)
    return node
  }

  /// However little the socket takes at a time, the stream is the same.
  @Test(arguments: [1, 7, 100, 4_096, 262_144]) func partialWritesChangeNothing(_ room: Int) throws {
    let count = room < 4_096 ? 2_000 : 700_000
    let node = Self.streaming()
    try Self.frame(node, count)
    node.feed(Envelope(kind: .ping(Ping(sentNs: 1))))
    var bytes: [UInt8] = []
    while !node.state.outbox.isEmpty { node.write(room, &bytes) }
    let decoded = PacketDecoderTests.decode(bytes, cuts: [], limits: .client)
    #expect(decoded.violation == nil)
    #expect(Array(decoded.chunks.joined()) == Array(Self.pattern[..<count]))
    #expect(decoded.envelopes.count == 1 + (count + 262_143) / 262_144)
  }

  @Test func controlPacketsPassAheadOfWaitingChunks() throws {
    let node = Self.streaming()
    try Self.frame(node, 600_000)
    var bytes: [UInt8] = []
    node.write(1_000, &bytes)
    node.feed(Envelope(kind: .ping(Ping(sentNs: 1))))
    bytes += node.written()
    let envelopes = PacketDecoderTests.decode(bytes, cuts: [], limits: .client).envelopes
    guard case .pong? = envelopes.dropFirst().first?.kind else { return #expect(Bool(false)) }
  }

  @Test func twoCallsTakeTurnsByTheChunk() throws {
    let node = Self.streaming()
    node.open(3, "t.S/Down", credit: 1)
    try Self.frame(node, 600_000)
    try node.state.send(3, RawMessage(body: [], payload: Self.payload(600_000)))
    let output1 = node.output()
    #expect(output1.map(\.callID) == [1, 3, 1, 3, 1, 3])
  }

  @Test func anAbortedFrameEndsInItsAbortAndItsCreditReturns() throws {
    let node = Self.streaming()
    try Self.frame(node, 600_000, discards: 2)
    var bytes: [UInt8] = []
    node.write(1_000, &bytes)
    #expect(node.state.outbox.frame(of: 1)?.remaining == 600_000 - 262_144)
    #expect(node.state.outbox.frame(of: 1)?.reportedDiscards == 2)
    let isAborted = node.state.abortFrame(1)
    #expect(isAborted)
    bytes += node.written()
    let decoded = PacketDecoderTests.decode(bytes, cuts: [], limits: .client)
    #expect(decoded.chunks.map(\.count) == [262_144, 0])
    #expect(decoded.envelopes.last == Envelope(callID: 1, kind: .chunk(Chunk(abort: true))))
    #expect(node.state.calls[1]?.sendCredit == 100)
  }

  @Test func aFrameThatWasNotBegunIsWithdrawnWithoutATrace() throws {
    let node = Self.streaming()
    try Self.frame(node, 10)
    let isAborted = node.state.abortFrame(1)
    #expect(isAborted)
    let output2 = node.output()
    #expect(output2.isEmpty)
  }

  @Test func relinquishingLetsGoOfThePayloadAndFinishesTheChunk() throws {
    final class Flag: Sendable { let released = Atomic(false) }
    let flag = Flag()
    let node = Self.streaming()
    try node.state.send(
      1,
      RawMessage(body: [], payload: Self.payload(600_000) { flag.released.store(true, ordering: .relaxed) }),
      reportedDiscards: 0)
    var bytes: [UInt8] = []
    node.write(1_000, &bytes)
    node.state.outbox.releasePartial(of: 1)
    let isAborted = node.state.abortFrame(1)
    #expect(isAborted)
    let isReleased = flag.released.load(ordering: .relaxed)
    #expect(isReleased)
    bytes += node.written()
    let decoded = PacketDecoderTests.decode(bytes, cuts: [], limits: .client)
    #expect(decoded.chunks[0] == Array(Self.pattern[..<262_144]))
  }

  @Test func whatFollowsAPayloadOfItsCallWaitsBehindIt() throws {
    let node = Self.streaming()
    try Self.frame(node, 600_000)
    node.state.handlerEnded(1, RPCError(.ok, ""))
    let envelopes = node.output()
    #expect(envelopes.count == 4)
    guard case .status? = envelopes.last?.kind else { return #expect(Bool(false)) }
  }

  @Test func aBodyLongerThanTheScratchMemoryArrives() throws {
    let node = Self.streaming()
    let body = [UInt8](repeating: 5, count: 100_000)
    try node.state.send(1, RawMessage(body: body, payload: Self.payload(300_000)))
    try node.state.send(1, RawMessage(body: body))
    let decoded = PacketDecoderTests.decode(node.written(), cuts: [], limits: .client)
    #expect(decoded.chunks.reduce(0) { $0 + $1.count } == 300_000)
    guard case .message(let last)? = decoded.envelopes.last?.kind else { return #expect(Bool(false)) }
    #expect(last.body == body)
  }

  @Test func whatACallLeavesBehindHoldsNoLease() throws {
    for isCancelled in [true, false] {
      let isReleased = Atomic<Bool>(false)
      let node = Self.streaming()
      let lent = Self.payload(500_000) { isReleased.store(true, ordering: .relaxed) }
      try node.state.send(1, RawMessage(body: [9], payload: consume lent), reportedDiscards: 0)
      var bytes: [UInt8] = []
      node.write(1_000, &bytes)
      if isCancelled {
        node.feed(Envelope(callID: 1, kind: .cancel(Cancel())))
      } else {
        node.state.handlerEnded(1, RPCError(.ok, ""))
      }
      let isFree = isReleased.load(ordering: .relaxed)
      #expect(isFree)
      while !node.state.outbox.isEmpty { node.write(.max, &bytes) }
      let decoded = PacketDecoderTests.decode(bytes, cuts: [], limits: .client)
      #expect(decoded.violation == nil)
      if !isCancelled { #expect(Array(decoded.chunks.joined()) == Array(Self.pattern[..<500_000])) }
    }
  }

  @Test func answersThatAreNotTakenCountAsCalls() throws {
    let node = ServerFixture { $0.maxCalls = 2 }
    for id: UInt32 in [1, 3] {
      node.open(id, "t.S/Plain")
      try node.state.send(id, RawMessage(body: [], payload: Self.payload(10)))
      node.state.handlerEnded(id, RPCError(.ok, ""))
    }
    node.open(5, "t.S/Plain")
    let refused = node.status(of: 5)
    #expect(refused?.code == StatusCode.resourceExhausted.rawValue)
    node.open(7, "t.S/Plain")
    #expect(node.state.runningHandlers == 1, "all was taken")
  }

  @Test func writtenBytesAreNotKeptWhileOthersWait() {
    let node = ServerFixture()
    var bytes: [UInt8] = []
    for turn in 0..<2_000 {
      for _ in 0..<100 { node.feed(Envelope(kind: .ping(Ping(sentNs: UInt64(turn))))) }
      node.write(node.state.outbox.controlCount - 1, &bytes)
    }
    #expect(node.state.outbox.controlMemory < 4 * Outbox.controlTarget)
  }
}
