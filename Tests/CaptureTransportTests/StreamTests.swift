import CaptureSystem
import CaptureTestService
import CaptureTransport
import CaptureWire
import Testing

@Suite struct StreamTests {
  @Test func aSlowReaderGetsTheNewestFrameAndEveryDiscardIsReported() async throws {
    let node = try Node()
    let connection = try await node.client()
    let call = try await connection.open(
      TestMethods.download,
      TestRequest(responsePayloadBytes: 300_000, responseCount: 300, intervalUs: 2_000, latestWins: true)
        .raw(),
      last: true, options: CallOptions(window: 1))
    try await within(.seconds(20)) {
      var delivered: UInt64 = 0
      var discarded: UInt64 = 0
      var last: UInt64 = 0
      while let raw = try await call.next() {
        let answer = try TestResponse(raw)
        delivered += 1
        discarded += answer.discarded
        #expect(answer.index == delivered + discarded - 1, "nothing is lost without being counted")
        #expect(answer.data.map(PatternPayloads.matches) == true)
        last = answer.index
        guard delivered < 10 else { continue }
        // It is slow: the next frames replace each other. One waits on each side.
        let (received, before) = (delivered, node.server.statistics.discarded)
        try await eventually {
          let now = node.server.statistics.discarded
          return now > before + 1 || received + now + 2 >= 300
        }
      }
      #expect(last == 299, "the newest is never the one that is dropped")
      #expect(discarded > 10)
      #expect(node.server.statistics.discarded == discarded)
    }
    await node.stop()
  }

  @Test func aStreamWaitsForCredit() async throws {
    let node = try Node()
    let connection = try await node.client()
    let call = try await connection.open(
      TestMethods.download, TestRequest(responseCount: 5).raw(), last: true, options: CallOptions(window: 1))
    // Turns in which the handler would have ended.
    for _ in 0..<20 { _ = try await TestClient(connection).empty(TestEmpty()) }
    #expect(node.server.statistics.calls == 1, "the handler waits for its client")
    try await within(.seconds(5)) {
      var count = 0
      while try await call.next() != nil { count += 1 }
      #expect(count == 5)
    }
    await node.stop()
  }

  /// No message has a payload, so no write tells whose message has been written whole.
  @Test func answersThatWaitForRoomGoOnAsTheClientReads() async throws {
    let node = try Node()
    let client = try RawClient(node.address, receiveBuffer: 65_536)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    let asked = TestRequest(responseCount: 400, note: [UInt8](repeating: 7, count: 10_000))
    for id: UInt32 in [1, 3, 5] {
      let request = Request(
        method: TestMethods.download.name, credit: 1_000, body: asked.encoded(), last: true)
      client.send(Envelope(callID: id, kind: .request(request)))
    }
    try await eventually { node.server.statistics.callsTotal == 3 }
    async let read = within(.seconds(30)) { client.readToEnd().count }
    await node.server.drain(grace: .seconds(20))
    #expect(try await read > 3 * 400 * 10_000)
  }

  @Test func manyCallsAtOnceEachGetTheirAnswer() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    try await within(.seconds(20)) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<64 {
          group.addTask {
            for index in 0..<20 {
              let note = [UInt8(task), UInt8(index)]
              let answer = try await client.unary(TestRequest(note: note))
              #expect(answer.note == note)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    try await eventually { node.server.statistics.callsTotal == 64 * 20 }
    await node.stop()
  }
}
