import CaptureSystem
import CaptureTestService
import CaptureTransport
import CaptureWire
import Testing

/// What a socket may do to a connection.
@Suite struct FaultTests {
  @Test(arguments: 1...4) func shortReadsAndWritesChangeNothing(_ seed: UInt64) async throws {
    let node = try Node()
    let client = TestClient(try await FaultyStream.client(node, seed: seed))
    try await within(.seconds(20)) {
      let request = TestRequest(
        responsePayloadBytes: 300_000, responseCount: 3, data: PatternPayloads().payload(270_000))
      let answer = try await client.unary(request)
      #expect(answer.receivedPayloadBytes == 270_000)
      #expect(answer.data.map(PatternPayloads.matches) == true)
      var count = 0
      for try await answer in try await client.download(request) {
        #expect(answer.data.map(PatternPayloads.matches) == true)
        count += 1
      }
      #expect(count == 3)
    }
    await node.stop()
  }

  @Test(arguments: [200, 5_000, 100_000, 400_000]) func aResetFailsTheCallAndStopsItsHandler(
    _ bytes: Int
  ) async throws {
    let node = try Node()
    let connection = try await FaultyStream.client(node, seed: 7, failsAfter: bytes)
    let error = await #expect(throws: RPCError.self) {
      try await within(.seconds(5)) {
        for try await _ in try await TestClient(connection).download(
          TestRequest(responsePayloadBytes: 50_000, responseCount: 1_000))
        {}
      }
    }
    #expect(error?.code == .unavailable)
    try await eventually { node.server.statistics.calls == 0 && node.server.statistics.clients == 0 }
    await node.stop()
  }
}
