import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import CaptureTLS
@testable import CaptureTransport

private func origin(_ host: String) -> Origin { Origin(.internet(host: host, port: 1, family: .v4), -1) }

/// Has all places of a pool until it is told to give them back.
private final class Crowd: Sendable {
  private let begun = Atomic<Int>(0)
  private let end = DispatchSemaphore(value: 0)
  private let width = HandshakePool.usualWidth

  /// `isFirst`: the pool has nothing to do yet, and it has the places when this returns.
  init(in pool: HandshakePool, isFirst: Bool = true) async throws {
    for _ in 0..<width {
      _ = pool.add(of: origin("192.0.2.1")) {
        self.begun.wrappingAdd(1, ordering: .relaxed)
        self.end.wait()
      }
    }
    if isFirst { try await hasAll() }
  }

  func hasAll() async throws { try await eventually { self.begun.load(ordering: .relaxed) == self.width } }

  func leave() { for _ in 0..<width { end.signal() } }
}

@Suite(.timeLimit(.minutes(1))) struct HandshakeTests {
  private let accessGuard: OneCredential

  init() throws { accessGuard = try OneCredential() }

  /// What a client's handshake begins with.
  private static func hello() throws -> [UInt8] { next(of: try TLSSession(.client())) }

  /// What a client sends next in its handshake.
  private static func next(of session: TLSSession) -> [UInt8] {
    _ = session.shakeHands()
    var bytes: [UInt8] = []
    session.send {
      bytes += $0
      return $0.count
    }
    return bytes
  }

  private func read(_ raw: RawClient, _ count: Int) async -> [UInt8] {
    let task = Task.detached {
      var bytes = [UInt8](repeating: 0, count: count)
      let got = recv(raw.descriptor, &bytes, count, Int32(MSG_WAITALL))
      return Array(bytes.prefix(max(got, 0)))
    }
    return await task.value
  }

  private func goesOn(_ client: ClientConnection) async throws {
    let answer = try await within(.seconds(10)) {
      try await TestClient(client).unary(TestRequest(responsePayloadBytes: 100_000))
    }
    #expect(answer.data?.count == 100_000)
  }

  @Test func originsTakeTurns() {
    var line = HandshakeLine<String>()
    let (a, b, c) = (origin("192.0.2.1"), origin("192.0.2.2"), origin("192.0.2.3"))
    for name in ["a1", "a2", "a3"] { _ = line.add(name, of: a) }
    _ = line.add("b1", of: b)
    let left = line.add("b2", of: b)
    #expect(line.next() == "a1")
    _ = line.add("c1", of: c)
    let alone = line.add("x", of: origin("192.0.2.4"))
    line.remove(left)
    line.remove(alone)
    #expect(line.count == 4)
    #expect((0..<5).map { _ in line.next() } == ["b1", "a2", "c1", "a3", nil])
    line.remove(left)
    #expect(line.count == 0)
  }

  @Test func soManyAreComputedAtOnceAndNoMore() async throws {
    let pool = HandshakePool(width: 2)
    let counts = Mutex((now: 0, most: 0, done: 0))
    let pause = DispatchSemaphore(value: 0)
    for number in 0..<8 {
      _ = pool.add(of: origin("192.0.2.\(number % 3)")) {
        counts.withLock {
          $0.now += 1
          $0.most = max($0.most, $0.now)
        }
        pause.wait()
        counts.withLock { ($0.now, $0.done) = ($0.now - 1, $0.done + 1) }
      }
    }
    try await eventually { counts.withLock { $0.now } == 2 }
    for _ in 0..<8 { pause.signal() }
    try await eventually { counts.withLock { $0.done } == 8 }
    #expect(counts.withLock { $0.most } == 2 && pool.waiting == 0)
  }

  @Test func whoIsConnectedGoesOnWhileOthersShakeHands() async throws {
    let node = try accessGuard.node()
    let client = try await node.client(accessGuard.configuration())
    let crowd = try await Crowd(in: node.server.handshakes)
    let coming = Task { try await node.client(accessGuard.configuration()) }
    try await eventually { node.server.handshakes.waiting == 1 }
    try await goesOn(client)
    #expect(node.server.handshakes.waiting == 1, "nobody computes it meanwhile")
    crowd.leave()
    let other = try await within(.seconds(10)) { try await coming.value }
    try await goesOn(other)
    await client.close()
    await other.close()
    await node.stop()
  }

  /// A burst of one address is in the line before it. It comes in when one of them has had its turn, and not when all have.
  @Test func aBurstOfOneOriginDoesNotHoldUpAnother() async throws {
    let node = try accessGuard.node()
    let pool = node.server.handshakes
    let crowd = try await Crowd(in: pool)
    let hello = try Self.hello()
    let burst = try (0..<8).map { _ in try RawClient(node.address, from: "127.0.0.2") }
    for stranger in burst { stranger.send(hello) }
    try await eventually { pool.waiting == burst.count }
    let coming = Task { try await node.client(accessGuard.configuration()) }
    try await eventually { pool.waiting == burst.count + 1 }
    // They have their turns after the first of the burst and the one who comes, and keep the places.
    let later = try await Crowd(in: pool, isFirst: false)
    crowd.leave()
    try await later.hasAll()
    let client = try await within(.seconds(10)) { try await coming.value }
    #expect(pool.waiting > 0, "most of the burst still waits")
    later.leave()
    for stranger in burst { #expect(await read(stranger, 1) == [0x16]) }
    try await goesOn(client)
    await client.close()
    await node.stop()
  }

  @Test func whoLeavesTheLineIsNotComputed() async throws {
    let node = try accessGuard.node()
    let crowd = try await Crowd(in: node.server.handshakes)
    let hello = try Self.hello()
    let strangers = try (0..<4).map { _ in try RawClient(node.address, from: "127.0.0.2") }
    for stranger in strangers { stranger.send(hello) }
    try await eventually { node.server.handshakes.waiting == 4 }
    for stranger in strangers.dropLast() { stranger.reset() }
    // Nothing is read of them until it is their turn; five seconds after they came they are gone in any case.
    try await eventually(.seconds(10)) { node.server.handshakes.waiting == 0 }
    #expect(await read(strangers[3], 1) == [], "nothing was signed")
    crowd.leave()
    await node.stop()
  }

  /// The node knows no P-384, and asks for another key share. It has signed nothing then.
  @Test func theHelloAfterARetryIsComputedByThePoolToo() async throws {
    let node = try accessGuard.node()
    let stranger = try RawClient(node.address)
    let session = try TLSSession(TLSContext(isServer: false, order: .usual, groups: "P-384:X25519"))
    stranger.send(Self.next(of: session))
    let header = await read(stranger, 5)
    try #require(header.count == 5 && header[0] == 0x16)
    let retry = await read(stranger, Int(header[3]) << 8 | Int(header[4]))
    (header + retry).withUnsafeBytes { session.receive($0) }
    let crowd = try await Crowd(in: node.server.handshakes)
    stranger.send(Self.next(of: session))
    try await eventually { node.server.handshakes.waiting == 1 }
    crowd.leave()
    #expect(await read(stranger, 500).count == 500)
    await node.stop()
  }

  @Test func aHelloMayComeInPieces() async throws {
    let node = try accessGuard.node()
    let stranger = try RawClient(node.address)
    for byte in try Self.hello() { stranger.send([byte]) }
    let answer = await read(stranger, 500)
    #expect(answer.count == 500 && answer[0] == 0x16)
    await node.stop()
  }

  @Test func whatIsNoHandshakeIsToldSo() async throws {
    let node = try accessGuard.node()
    let stranger = try RawClient(node.address)
    // A hello of four bytes that are none.
    stranger.send([0x16, 3, 1, 0, 8, 1, 0, 0, 4, 9, 9, 9, 9])
    let told = await Task.detached { stranger.readToEnd() }.value
    #expect(told.first == 0x15, "an alert, and then the end")
    let client = try await node.client(accessGuard.configuration())
    try await goesOn(client)
    await client.close()
    await node.stop()
  }

  /// A connection that is cut while the pool has its session ends at once; the session goes when the pool is done with it.
  @Test func aConnectionThatIsCutMeanwhileEnds() async throws {
    let node = try accessGuard.node()
    let crowd = try await Crowd(in: node.server.handshakes)
    let stranger = try RawClient(node.address)
    stranger.send(try Self.hello())
    try await eventually { node.server.handshakes.waiting == 1 }
    #expect(await node.server.end(RPCError(.unavailable, "over")) { _, _ in true } == 1)
    #expect(await Task.detached { stranger.readToEnd() }.value == [])
    #expect(node.server.handshakes.waiting == 0)
    crowd.leave()
    await node.stop()
  }
}
