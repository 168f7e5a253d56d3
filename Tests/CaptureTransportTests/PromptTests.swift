import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// Unary calls that are answered without a task.
@Suite struct PromptTests {
  /// Counts how its calls are answered.
  final class Counted: TestService {
    let handled = Atomic<Int>(0)
    let prompt = Atomic<Int>(0)

    var handler: ImmediateService {
      ImmediateService(TestServiceHandler(self)).answering(TestMethods.unary) {
        (request: TestRequest, _) -> TestResponse? in
        if request.statusCode != 0 { throw RPCError(StatusCode(rawValue: request.statusCode), "so it is") }
        guard request.intervalUs == 0 else { return nil }
        self.prompt.wrappingAdd(1, ordering: .relaxed)
        return TestResponse(note: request.note, data: Payload(copying: [UInt8](repeating: 7, count: 300_000)))
      }
    }

    func empty(_ request: TestEmpty, context: CallContext) async throws -> TestEmpty { TestEmpty() }

    func unary(_ request: TestRequest, context: CallContext) async throws -> TestResponse {
      handled.wrappingAdd(1, ordering: .relaxed)
      return TestResponse(note: request.note)
    }

    func download(_: TestRequest, context: CallContext, responses: ResponseWriter<TestResponse>) async throws
    {}
    func upload(_: RequestReader<TestRequest>, context: CallContext) async throws -> TestResponse { .init() }
    func echo(
      _: RequestReader<TestRequest>, context: CallContext, responses: ResponseWriter<TestResponse>
    ) async throws {}
  }

  @Test func whatNeedsNoWaitingTakesNoHandler() async throws {
    let service = Counted()
    let node = try Node(services: [service.handler])
    let client = TestClient(try await node.client())
    try await within(.seconds(10)) {
      for index in 0..<20 as Range<UInt8> {
        let answer = try await client.unary(TestRequest(note: [index]))
        #expect(answer.note == [index] && answer.data?.count == 300_000)
      }
      #expect(try await client.unary(TestRequest(intervalUs: 1, note: [1])).data == nil)
      await #expect(throws: RPCError(.notFound, "so it is")) {
        try await client.unary(TestRequest(statusCode: StatusCode.notFound.rawValue))
      }
    }
    #expect(service.prompt.load(ordering: .relaxed) == 20 && service.handled.load(ordering: .relaxed) == 1)
    // The last answer is with the client before the node has counted its end.
    try await eventually {
      let statistics = node.server.statistics
      return statistics.callsTotal == 22 && statistics.callsFailed == 1 && statistics.calls == 0
    }
    await node.stop()
  }

  /// The Cancel is read together with its Request: nobody waits for that answer.
  @Test func aCallThatIsOverIsNotAnswered() async throws {
    let service = Counted()
    let node = try Node(services: [service.handler])
    let client = try RawClient(node.address)
    client.send([
      Envelope(kind: .hello(Hello(version: 1))),
      Envelope(callID: 1, kind: .request(Request(method: TestMethods.unary.name, last: true))),
      Envelope(callID: 1, kind: .cancel(Cancel())),
    ])
    try await eventually { node.server.statistics.callsFailed == 1 && node.server.statistics.calls == 0 }
    #expect(service.prompt.load(ordering: .relaxed) == 0)
    await node.stop()
  }

  /// A client that asks for more than it takes gets the rest when it reads, and the node goes on meanwhile.
  @Test func answersWithoutRoomWait() async throws {
    let node = try Node(services: [Counted().handler])
    let (slow, quick) = (try await node.client(), TestClient(try await node.client()))
    try await within(.seconds(20)) {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<90 {
          group.addTask { try await TestClient(slow).unary(TestRequest(note: [3])).data?.count ?? 0 }
        }
        for _ in 0..<10 { #expect(try await quick.empty() == TestEmpty()) }
        for try await count in group { #expect(count == 300_000 || count == 0) }
      }
    }
    await node.stop()
  }
}
