import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// Connections of one address that all want all that they can get, and a client of another one.
@Suite struct CrowdTests {
  /// Calls that take a millisecond of the loop, but for those that say that they are another's.
  private final class Busy: TestService {
    let done = Atomic<Int>(0)

    func empty(_ request: TestEmpty, context: CallContext) async throws -> TestEmpty { TestEmpty() }

    func unary(_ request: TestRequest, context: CallContext) async throws -> TestResponse {
      if request.note.isEmpty {
        let end = MonotonicClock.now() + 1_000_000
        while MonotonicClock.now() < end {}
        done.wrappingAdd(1, ordering: .relaxed)
      }
      return TestResponse(note: request.note)
    }

    func download(_: TestRequest, context: CallContext, responses: ResponseWriter<TestResponse>) async throws
    {}
    func upload(_: RequestReader<TestRequest>, context: CallContext) async throws -> TestResponse { .init() }
    func echo(
      _: RequestReader<TestRequest>, context: CallContext, responses: ResponseWriter<TestResponse>
    ) async throws {}
  }

  @Test(.timeLimit(.minutes(1))) func aCallWaitsForAFewOfAnotherAddressAndNotForItsCrowd() async throws {
    let service = Busy()
    var configuration = NodeConfiguration()
    configuration.loops = 1
    let node = try Node(configuration: configuration, services: [TestServiceHandler(service)])
    let client = TestClient(try await node.client())
    _ = try await client.unary(TestRequest(note: [1]))
    // 200 connections with 8 calls each: 1.6 s.
    let crowd = try (0..<200).map { _ in try RawClient(node.address, from: "127.0.0.2") }
    var packets = PacketEncoder.header(Envelope(kind: .hello(Hello(version: 1))))
    for id in stride(from: UInt32(1), to: 16, by: 2) {
      let request = Request(method: TestMethods.unary.name, last: true)
      PacketEncoder.append(Envelope(callID: id, kind: .request(request)), to: &packets)
    }
    for one in crowd { one.send(packets) }
    try await eventually { service.done.load(ordering: .relaxed) >= 200 }
    let before = service.done.load(ordering: .relaxed)
    _ = try await client.unary(TestRequest(note: [2]))
    // What a few connections have begun: in the turn in which this client's call came, and while its answer is on its way.
    let waited = service.done.load(ordering: .relaxed) - before
    #expect(before < 1_200 && waited <= 64)
    withExtendedLifetime(crowd) {}
    await node.stop()
  }
}
