import CaptureSystem
import CaptureTestService
import CaptureTransport
import CaptureWire
import Glibc
import Testing

/// Who is still there, and what those cost that are.
@Suite struct LifeTests {
  @Test func aClientThatAnswersPingsStaysAndOneThatDoesNotGoes() async throws {
    var configuration = NodeConfiguration()
    configuration.keepaliveIdle = .milliseconds(50)
    configuration.keepalivePatience = .seconds(3)
    let node = try Node(configuration: configuration)
    let client = try await node.client()
    let silent = try RawClient(node.address)
    silent.send(Envelope(kind: .hello(Hello(version: 1))))
    try await eventually { node.server.statistics.clientsTotal == 2 }
    let said = try await within(.seconds(10)) { silent.readToEnd() }
    #expect(said.count > 20, "Hello and a Ping")
    _ = try await TestClient(client).empty(TestEmpty())
    #expect(node.server.statistics.clients == 1)
    await node.stop()
  }

  @Test func aClientResetTogetherWithItsLastBytesIsGoneAtOnce() async throws {
    let node = try Node()
    for _ in 0..<20 {
      let client = try RawClient(node.address)
      client.send(Envelope())
      client.reset()
    }
    try await eventually(.seconds(2)) {
      node.server.statistics.clientsTotal == 20 && node.server.statistics.clients == 0
    }
    await node.stop()
  }

  @Test func aPeerThatDoesNotReadItsGoAwayIsLeft() async throws {
    let node = try Node()
    let client = try RawClient(node.address, receiveBuffer: 4_096)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    let request = TestRequest(responsePayloadBytes: 8 << 20).encoded()
    client.send(
      Envelope(
        callID: 1,
        kind: .request(Request(method: "capture.v1.Test/Unary", credit: 1, body: request, last: true))))
    try await eventually { node.server.statistics.bytesSent > 100_000 }
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    try await eventually(.seconds(4)) { node.server.statistics.clients == 0 }
    await node.stop()
  }

  @Test func anEstimateOfTheSameClockIsRightWithinItsError() async throws {
    let node = try Node()
    let client = try await node.client()
    for _ in 0..<20 {
      let offset = try await client.ping().offset
      #expect(offset.nanoseconds.magnitude <= offset.error + 1)
    }
    #expect(
      try await client.clockOffset() == ClockOffset(nanoseconds: 0, error: 0), "both are this machine's")
    await node.stop()
  }

  @Test func twoHundredStreamsTakeNoThreads() async throws {
    let node = try Node()
    let before = try await Self.watch(TestClient(try await node.client()))
    // All are greeted before the first stream begins: who came last would wait for the frames of all others.
    var clients: [TestClient] = []
    for _ in 0..<200 { clients.append(TestClient(try await node.client())) }
    let most = try await within(.seconds(30)) { [clients] in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for client in clients { group.addTask { try await Self.watch(client) } }
        return try await group.reduce(0) { max($0, $1) }
      }
    }
    #expect(most <= before + 4, "threads do not come with clients")
    await node.stop()
  }

  /// Reads a stream to its end; returns the most threads that there were.
  private static func watch(_ client: TestClient) async throws -> Int {
    let request = TestRequest(
      responsePayloadBytes: 20_000, responseCount: 20, intervalUs: 5_000, latestWins: true)
    var last: UInt64 = 0
    var most = 0
    for try await frame in try await client.download(request) {
      #expect(frame.data.map(PatternPayloads.matches) == true)
      last = frame.index
      most = max(most, threads())
    }
    #expect(last == 19, "the newest is never dropped")
    return most
  }

  private static func threads() -> Int {
    guard let directory = opendir("/proc/self/task") else { return 0 }
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
