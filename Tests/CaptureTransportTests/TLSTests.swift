import CaptureModel
import CaptureSystem
import CaptureTLS
import CaptureTestService
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureTransport

/// Lets in whoever has one credential; what comes over TCP may be encrypted.
final class OneCredential: AccessGuard {
  static let credential: [UInt8] = Array(0..<32)
  let identity: TLSIdentity
  let context: TLSContext

  init() throws {
    identity = try TLSIdentity.make()
    context = try TLSContext.server(identity)
  }

  var tls: TLSContext? { context }

  func identify(_ arrival: Arrival, credential: [UInt8]) throws(RPCError) -> Caller {
    if credential.isEmpty { return .unknown }
    guard credential == Self.credential, arrival.isEncrypted else {
      throw RPCError(.unauthenticated, "unknown", .init(.credentialRefused))
    }
    return Caller(.client, name: "laptop", role: .view)
  }

  func permit(_ request: (any WireMessage)?, of context: CallContext) throws(RPCError) -> Caller {
    guard context.caller.isKnown else { throw RPCError(.unauthenticated, "who is it", .init(.notIdentified)) }
    return context.caller
  }
}

extension OneCredential {
  /// A node that it guards. `patience`: how long a connection may take to identify itself.
  func node(patience: Duration = .seconds(5)) throws -> Node {
    var configuration = NodeConfiguration()
    configuration.helloTimeout = patience
    configuration.accessGuard = self
    return try Node(configuration: configuration)
  }

  func configuration(pin: Digest? = nil, _ credential: [UInt8] = OneCredential.credential)
    -> ClientConfiguration
  {
    var configuration = ClientConfiguration()
    configuration.tls = .key(pin ?? identity.pin)
    configuration.credential = credential
    return configuration
  }
}

@Suite struct TLSTests {
  private let accessGuard: OneCredential

  init() throws { accessGuard = try OneCredential() }

  private func node() throws -> Node { try accessGuard.node() }

  private func configuration(pin: Digest? = nil, _ credential: [UInt8] = OneCredential.credential)
    -> ClientConfiguration
  {
    accessGuard.configuration(pin: pin, credential)
  }

  private func exchange(_ client: TestClient) async throws {
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
  }

  @Test func callsAndPayloadsComeOver() async throws {
    let node = try node()
    let client = try await node.client(configuration())
    try await exchange(TestClient(client))
    #expect(client.nodePin == accessGuard.identity.pin)
    await client.close()
    await node.stop()
  }

  @Test(arguments: 1...4) func shortReadsAndWritesChangeNothing(_ seed: UInt64) async throws {
    let node = try node()
    let (raw, found) = try await Connector.connect(to: node.address, timeout: .seconds(20))
    let faulty = FaultyStream(SocketStream(OwnedDescriptor(owning: raw), to: found), seed: seed)
    let stream = TLSStream(
      faulty, try TLSSession(.client()), checks: PeerCheck(.key(accessGuard.identity.pin)))
    let client = ClientConnection(found, stream, configuration(), pool: PayloadPool(keep: 1))
    try await client.open(until: MonotonicClock.now() + 10_000_000_000)
    try await exchange(TestClient(client))
    await client.close()
    await node.stop()
  }

  @Test func aStreamThatHoldsDecryptedBytesIsReadToTheEnd() async throws {
    let node = try node()
    let client = TestClient(try await node.client(configuration()))
    // Each answer is small, so that many are in one record and no reader asks for as much as there is. The last byte comes once, and no socket
    // announces what was decrypted with it.
    try await within(.seconds(20)) {
      for size in [1, 100, 16_383, 16_384, 16_385, 40_000, 600_000] {
        var count = 0
        for try await answer in try await client.download(
          TestRequest(responsePayloadBytes: UInt64(size), responseCount: 50))
        {
          #expect(answer.data?.count == size)
          count += 1
        }
        #expect(count == 50)
      }
    }
    await node.stop()
  }

  /// What came before it is read first, and may make the node pause. The socket announces nothing more, and the connection ends all the same.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func aDamagedRecordBehindAGoodOneEndsTheConnection(_ isPaused: Bool) async throws {
    let node = try node()
    let client = try RawClient(node.address)
    let session = try TLSSession(.client())
    func records() -> [UInt8] {
      var bytes: [UInt8] = []
      session.send { waiting in
        bytes += waiting
        return waiting.count
      }
      return bytes
    }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      _ = session.shakeHands()
      client.send(records())
      if session.isOpen { break }
      let count = read(client.descriptor, &buffer, buffer.count)
      try #require(count > 0)
      buffer.withUnsafeBytes { session.receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    let hello = PacketEncoder.header(
      Envelope(kind: .hello(Hello(version: 1, credential: OneCredential.credential))))
    // The node pauses after so many cancels in one read.
    let cancelled: [UInt32] = isPaused ? [1, 3, 5] : []
    let calls = cancelled.flatMap { id in
      PacketEncoder.header(
        Envelope(callID: id, kind: .request(Request(method: TestMethods.empty.name, last: true))))
        + PacketEncoder.header(Envelope(callID: id, kind: .cancel(Cancel())))
    }
    let first = hello + calls
    #expect(first.count < ReadLimiter.leastRead, "one read takes it, and comes to the damaged record")
    #expect(cancelled.isEmpty || cancelled.count >= Int(ReadLimiter.cancelsPerRead))
    #expect(first.withUnsafeBytes { session.write($0) } == .bytes(first.count))
    let good = records()
    #expect(hello.withUnsafeBytes { session.write($0) } == .bytes(hello.count))
    var damaged = records()
    damaged[damaged.count - 1] ^= 1
    client.send(good + damaged)
    try await eventually { node.server.statistics.clients == 0 }
    #expect(node.server.statistics.clientsTotal == 1)
    #expect(node.server.statistics.callsTotal == UInt64(cancelled.count))
    await node.stop()
  }

  @Test func aNodeWithAnotherKeyGetsNothing() async throws {
    let node = try node()
    let error = await #expect(throws: RPCError.self) {
      try await node.client(configuration(pin: Digest(of: [1])))
    }
    #expect(error?.details?.reason == .nodeChanged)
    #expect(error?.code == .unauthenticated)
    await node.stop()
  }

  @Test func aWrongCredentialEndsTheConnectionAndNoneIsAStranger() async throws {
    let node = try node()
    let wrong = await #expect(throws: RPCError.self) {
      try await node.client(configuration([UInt8](repeating: 1, count: 32)))
    }
    #expect(wrong?.code == .unauthenticated)
    let stranger = try await node.client(configuration([]))
    let refused = await #expect(throws: RPCError.self) { try await TestClient(stranger).unary(TestRequest()) }
    #expect(refused?.details?.reason == .notIdentified)
    await node.stop()
  }

  @Test(.timeLimit(.minutes(1))) func whoSendsNoMoreGetsNoDelayedAnswerEarly() async throws {
    let node = try node()
    // The delay is the longest then, so that the client has ended before it is over.
    let own = Origin(.internet(host: "127.0.0.1", port: 1, family: .v4), -1)
    for _ in 0..<12 { _ = node.server.delayRefusal(of: own) }
    let client = try RawClient(node.address)
    client.send(Envelope(kind: .hello(Hello(version: 1, credential: [UInt8](repeating: 1, count: 32)))))
    shutdown(client.descriptor, Int32(SHUT_WR))
    let said = await Task.detached { client.readToEnd() }.value
    #expect(said.isEmpty)
    try await eventually { node.server.statistics.clients == 0 }
    await node.stop()
  }

  @Test func plainConnectionsShareThePort() async throws {
    let node = try node()
    let client = try await node.client()
    let refused = await #expect(throws: RPCError.self) { try await TestClient(client).unary(TestRequest()) }
    #expect(refused?.details?.reason == .notIdentified)
    await node.stop()
  }

  /// A Hello, a wrong credential and a half Hello give it no more time than it has from the start.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true])
  func whoDoesNotIdentifyItselfHasItsTimeFromTheStart(_ isWrong: Bool) async throws {
    let node = try accessGuard.node(patience: .seconds(4))
    let began = ContinuousClock.now
    let silent = try RawClient(node.address)
    // Half of its time is over when it says something, so that a busy machine has the other half.
    try await Task.sleep(for: .seconds(2))
    silent.send(
      Envelope(
        kind: .hello(Hello(version: 1, credential: isWrong ? [UInt8](repeating: 1, count: 32) : []))))
    let said = await Task.detached { String(decoding: silent.readToEnd(), as: UTF8.self) }.value
    try await eventually { node.server.statistics.clients == 0 }
    #expect(ContinuousClock.now - began >= .seconds(4))
    #expect(ContinuousClock.now - began < .seconds(6))
    #expect(said.contains(isWrong ? "unknown" : "has not said who it is"))
    await node.stop()
  }

  @Test func whoHasNotIdentifiedItselfSendsSoMuchAndNoMore() async throws {
    let node = try accessGuard.node(patience: .seconds(60))
    let stranger = try RawClient(node.address)
    stranger.send(Envelope(kind: .hello(Hello(version: 1))))
    func ask(_ count: Int, from first: UInt32) {
      for place in 0..<UInt32(count) {
        let request = Request(
          method: TestMethods.unary.name, body: [UInt8](repeating: 0, count: 10_000), last: true)
        stranger.send(Envelope(callID: first + 2 * place, kind: .request(request)))
      }
    }
    ask(6, from: 1)
    try await eventually { node.server.statistics.callsTotal == 6 }
    #expect(node.server.statistics.clients == 1, "60 KB are less")
    ask(1, from: 13)
    try await eventually { node.server.statistics.clients == 0 }
    await node.stop()
  }

  @Test func callersAreCutByTheirName() async throws {
    let node = try node()
    let client = try await node.client(configuration())
    try await eventually { node.server.callers.contains { $0.caller.name == "laptop" } }
    #expect(
      await node.server.end(RPCError(.unauthenticated, "revoked")) { caller, _ in caller.name == "laptop" }
        == 1)
    let failure = try await within(.seconds(5)) { await client.waitUntilLost() }
    #expect(failure?.code == .unauthenticated)
    await node.stop()
  }
}
