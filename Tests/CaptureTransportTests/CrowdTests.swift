import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// Connections of one address that all want all that they can get, and a client of another one.
@Suite struct CrowdTests {
  /// The crowd's calls take three milliseconds of the loop; an empty one, which another makes, says how many of them were done before.
  private final class Busy: TestService {
    let done = Atomic<Int>(0)
    let doneBefore = Atomic<Int>(0)
    let asked = Atomic<Int>(0)

    func empty(_ request: TestEmpty, context: CallContext) async throws -> TestEmpty {
      doneBefore.store(done.load(ordering: .relaxed), ordering: .relaxed)
      asked.wrappingAdd(1, ordering: .releasing)
      return TestEmpty()
    }

    func unary(_ request: TestRequest, context: CallContext) async throws -> TestResponse {
      let end = MonotonicClock.now() + 3_000_000
      while MonotonicClock.now() < end {}
      done.wrappingAdd(1, ordering: .relaxed)
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
    let client = try RawClient(node.address)
    let hello = Envelope(kind: .hello(Hello(version: 1)))
    client.send([hello, Self.request(TestMethods.empty.name, 1)])
    try await eventually { service.asked.load(ordering: .acquiring) == 1 }
    // 200 connections with 8 calls each: 4.8 s.
    let crowd = try (0..<200).map { _ in try RawClient(node.address, from: "127.0.0.2") }
    let calls = stride(from: UInt32(1), to: 16, by: 2).map { Self.request(TestMethods.unary.name, $0) }
    for one in crowd { one.send([hello] + calls) }
    try await eventually { service.done.load(ordering: .relaxed) >= 200 }
    client.send(Self.request(TestMethods.empty.name, 3))
    // The call is in the node's socket.
    let before = service.done.load(ordering: .relaxed)
    try await eventually { service.asked.load(ordering: .acquiring) == 2 }
    // What a few connections have begun, in the turn in which this client's call came.
    let waited = service.doneBefore.load(ordering: .relaxed) - before
    #expect(before < 1_200 && waited <= 64, "\(waited) of the crowd's came first")
    withExtendedLifetime((crowd, client)) {}
    await node.stop()
  }

  private static func request(_ method: String, _ id: UInt32) -> Envelope {
    Envelope(callID: id, kind: .request(Request(method: method, last: true)))
  }
}
