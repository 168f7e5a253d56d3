import CaptureSystem
import CaptureTransport
import CaptureWire
import Testing

@Suite struct EndingTests {
  /// Longer than any test runs.
  static let long: UInt32 = 60_000_000

  @Test func aPassedDeadlineEndsTheCallAndItsHandler() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    let error = await #expect(throws: RPCError.self) {
      try await within(.seconds(5)) {
        _ = try await client.unary(
          TestRequest(intervalUs: Self.long), options: CallOptions(timeout: .milliseconds(50)))
      }
    }
    #expect(error?.code == StatusCode(.deadlineExceeded))
    try await eventually { node.server.statistics.calls == 0 }
    await node.stop()
  }

  @Test func cancellingTheTaskCancelsTheCallAndItsHandler() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    let task = Task { try await client.unary(TestRequest(intervalUs: Self.long)) }
    try await eventually { node.server.statistics.calls == 1 }
    task.cancel()
    let result = await task.result
    #expect(throws: RPCError(.callCancelled)) { try result.get() }
    try await eventually { node.server.statistics.calls == 0 }
    await node.stop()
  }

  @Test func lettingGoOfAStreamCancelsIt() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    do {
      let stream = try await client.download(TestRequest(responseCount: 1_000, intervalUs: 1_000))
      for try await _ in stream { break }
    }
    try await eventually { node.server.statistics.calls == 0 }
    await node.stop()
  }

  @Test func aVanishedClientsHandlersStop() async throws {
    let node = try Node()
    let connection = try await node.client()
    let task = Task { try await TestClient(connection).unary(TestRequest(intervalUs: Self.long)) }
    try await eventually { node.server.statistics.calls == 1 }
    await connection.close()
    try await eventually { node.server.statistics.calls == 0 && node.server.statistics.clients == 0 }
    let result = await task.result
    #expect(throws: RPCError.self) { try result.get() }
    await node.stop()
  }

  @Test func aVanishedNodeFailsEveryCallAtOnce() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    let task = Task { try await client.unary(TestRequest(intervalUs: Self.long)) }
    try await eventually { node.server.statistics.calls == 1 }
    try await promptly(.seconds(2)) { await node.server.drain(grace: .milliseconds(10)) }
    let result = try await promptly(.seconds(1)) { await task.result }
    #expect {
      try result.get()
    } throws: {
      ($0 as? RPCError)?.code == .unavailable
    }
  }

  @Test func aDrainLetsRunningCallsFinish() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    let task = Task { try await client.unary(TestRequest(intervalUs: 200_000, note: [1])) }
    try await eventually { node.server.statistics.calls == 1 }
    try await within(.seconds(3)) { await node.server.drain(grace: .seconds(10)) }
    #expect(try await task.value.note == [1])
    await #expect(throws: RPCError.self) { try await client.empty(TestEmpty()) }
  }

  /// Neither for one that has nothing open, nor for one that was sent away just before and lingers already.
  @Test func aDrainWaitsShortlyForClientsThatDoNotClose() async throws {
    let node = try Node()
    let (idle, wrong) = (try RawClient(node.address), try RawClient(node.address))
    idle.send(Envelope(kind: .hello(Hello(version: 1))))
    wrong.send([UInt8](repeating: 0xFF, count: 8))
    // Its GoAway, and the end of what the node says.
    #expect(!wrong.readToEnd().isEmpty)
    // Others are waited for 2 s.
    try await promptly(.milliseconds(1_800)) { await node.server.drain(grace: .seconds(60)) }
    withExtendedLifetime((idle, wrong)) {}
  }

  @Test func aHandlersStatusReachesTheClientAsItIs() async throws {
    let node = try Node()
    let client = TestClient(try await node.client())
    let metadata = [CallMetadata(key: "k", value: [1, 2])]
    await #expect(throws: RPCError(.notFound, "nichts gefunden ✗", metadata: metadata)) {
      try await client.unary(
        TestRequest(statusCode: 5, statusText: "nichts gefunden ✗", echoMetadata: true),
        options: CallOptions(metadata: metadata))
    }
    await node.stop()
  }
}
