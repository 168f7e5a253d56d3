import CaptureModel
import CaptureTLS
import CaptureTransport
import CaptureWire
import Dispatch
import Glibc
import Synchronization
import Testing

/// Connections that the node ends, since their callers may do nothing more.
@Suite(.timeLimit(.minutes(1))) struct CutTests {
  /// The reason, as a client is told it.
  private let reason = RPCError(.unauthenticated, "revoked")

  /// The kernel has a megabyte for it, and would go on sending that whenever it reads.
  @Test(arguments: [false, true]) func whoDoesNotReadGetsNothingMore(_ hasEnded: Bool) async throws {
    let node = try Node()
    let client = try RawClient(node.address, receiveBuffer: 4_096)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    let bulk = TestRequest(responsePayloadBytes: 1_000_000, responseCount: 50)
    client.send(
      Envelope(
        callID: 1,
        kind: .request(
          Request(method: TestMethods.download.name, credit: 50, body: bulk.encoded(), last: true))))
    try await eventually { node.server.statistics.bytesSent > 100_000 }
    #expect(await node.server.end(reason) { _, _ in true } == 1)
    // One that says that it sends no more, and stays, is not spared.
    if hasEnded { shutdown(client.descriptor, Int32(SHUT_WR)) }
    try await eventually { node.server.statistics.clients == 0 }
    var waiting: Int32 = 0
    _ = ioctl(client.descriptor, UInt(FIONREAD), &waiting)
    let read = await Task.detached { client.readToEnd().count }.value
    #expect(read == Int(waiting))
    #expect(waiting < 100_000)
    await node.stop()
  }

  @Test func whoReadsIsToldTheReason() async throws {
    let node = try Node()
    let client = try await node.client()
    let frames = Task {
      for try await _ in try await TestClient(client).download(
        TestRequest(responsePayloadBytes: 10_000, responseCount: 1_000_000, intervalUs: 1_000))
      {}
    }
    try await eventually { node.server.statistics.bytesSent > 100_000 }
    #expect(await node.server.end(reason) { _, _ in true } == 1)
    let failure = try await within(.seconds(5)) { await client.waitUntilLost() }
    #expect(failure?.code == .unauthenticated && failure?.text.contains("revoked") == true)
    await #expect(throws: RPCError.self) { try await frames.value }
    try await eventually { node.server.statistics.clients == 0 }
    #expect(await node.server.end(reason) { _, _ in true } == 0)
    await node.stop()
  }

  /// The guard has looked it up, and the node does not know its name yet.
  @Test func whoIdentifiesItselfMeanwhileIsCutToo() async throws {
    let accessGuard = PausingGuard()
    var configuration = NodeConfiguration()
    configuration.accessGuard = accessGuard
    let node = try Node(configuration: configuration)
    let coming = Task { try await node.client() }
    // Also after a failure: it holds a loop of the node up.
    defer { accessGuard.goOn() }
    try await eventually { accessGuard.isAsked }
    let ending = Task.immediate { await node.server.end(reason) { caller, _ in caller.name == "laptop" } }
    accessGuard.goOn()
    #expect(await ending.value == 1)
    try await eventually { node.server.statistics.clients == 0 }
    _ = await coming.result
    await node.stop()
  }
}

/// Everybody is a laptop, once the test says so.
private final class PausingGuard: AccessGuard {
  private let asked = Atomic<Bool>(false)
  private let pause = DispatchSemaphore(value: 0)

  var isAsked: Bool { asked.load(ordering: .relaxed) }
  func goOn() { pause.signal() }

  var tls: TLSContext? { nil }

  func identify(_ arrival: Arrival, credential: [UInt8]) throws(RPCError) -> Caller {
    asked.store(true, ordering: .relaxed)
    pause.wait()
    return Caller(.client, name: "laptop", role: .view)
  }

  func permit(_ request: (any WireMessage)?, of context: CallContext) throws(RPCError) -> Caller {
    context.caller
  }
}
