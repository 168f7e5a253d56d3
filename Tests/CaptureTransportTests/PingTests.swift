import CaptureSystem
import CaptureWire
import Glibc
import Testing

@testable import CaptureTransport

@Suite struct PingTests {
  @Test func aNodeThatNeverAnswersAPingIsNotWaitedForForEver() async throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    let silent = OwnedDescriptor(owning: ends[1])
    let hello = PacketEncoder.header(Envelope(kind: .hello(Hello(version: 1))))
    #expect(write(silent.raw, hello, hello.count) == hello.count)
    let client = ClientConnection(
      .standard, SocketStream(OwnedDescriptor(owning: ends[0]), to: .standard), ClientConfiguration(),
      pool: PayloadPool(keep: 1))
    try await client.open(until: MonotonicClock.now() + 20_000_000_000)
    let error = await #expect(throws: RPCError.self) {
      try await client.ping(timeout: .milliseconds(50))
    }
    #expect(error?.code == .deadlineExceeded)
    await client.close()
  }
}
