import CaptureSystem
import CaptureTestService
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@Suite struct CallTests {
  static let addresses: [SocketAddress] = [
    .internet(host: "127.0.0.1", port: 0, family: .v4), .internet(host: "::1", port: 0, family: .v6),
    .unix(path: "/tmp/capture-transport-test-calls-\(getpid()).sock"),
  ]
  static let sizes = [0, 1, 4_095, 262_144, 262_145, 300_000, 5_000_000]

  @Test(arguments: addresses) func allKindsOfCallsWorkOverEveryAddress(_ address: SocketAddress) async throws
  {
    let node = try Node(on: address)
    let client = TestClient(try await node.client())
    try await within(.seconds(30)) {
      for size in Self.sizes {
        let data = PatternPayloads().payload(size)
        let request = TestRequest(responsePayloadBytes: UInt64(size), responseCount: 3, note: [7], data: data)

        let unary = try await client.unary(request)
        #expect(unary.receivedPayloadBytes == size && unary.note == [7])
        #expect(unary.data.map(PatternPayloads.matches) ?? (size == 0))
        #expect(unary.data?.count ?? 0 == size)

        var indices: [UInt64] = []
        for try await answer in try await client.download(request) {
          indices.append(answer.index)
          #expect(answer.data.map(PatternPayloads.matches) ?? (size == 0))
        }
        #expect(indices == [0, 1, 2])

        let upload = try await client.upload()
        for _ in 0..<10 { try await upload.requests.send(request) }
        let sum = try await upload.response()
        #expect(sum.receivedMessages == 10 && sum.receivedPayloadBytes == 10 * size)

        let echo = try await client.echo()
        async let reading: Int = {
          var count = 0
          for try await answer in echo.responses {
            #expect(answer.data?.count ?? 0 == size)
            count += 1
          }
          return count
        }()
        for _ in 0..<5 { try await echo.requests.send(request) }
        try await echo.requests.finish()
        #expect(try await reading == 15)
      }
    }
    await node.stop()
  }
}
