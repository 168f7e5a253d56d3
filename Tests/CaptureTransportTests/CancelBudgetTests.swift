import CaptureSystem
import CaptureTransport
import CaptureWire
import Testing

@Suite struct CancelBudgetTests {
  /// Greets, and opens and cancels so many calls.
  private func cancel(_ count: Int, on client: RawClient) {
    var packets = PacketEncoder.header(Envelope(kind: .hello(Hello(version: 1))))
    for id in stride(from: UInt32(1), to: UInt32(2 * count), by: 2) {
      let request = Request(method: "capture.v1.Test/Upload", noMessage: true)
      PacketEncoder.append(Envelope(callID: id, kind: .request(request)), to: &packets)
      PacketEncoder.append(Envelope(callID: id, kind: .cancel(Cancel())), to: &packets)
    }
    client.send(packets)
  }

  /// No connection goes past its own budget; they do together. Who cancels little stays.
  @Test func theConnectionsOfOneAddressShareABudget() async throws {
    var configuration = NodeConfiguration()
    configuration.limits[.cancelBurstPerAddress] = 100
    configuration.limits[.cancelsPerSecondPerAddress] = 0
    let node = try Node(configuration: configuration)
    let modest = TestClient(try await node.client())
    // 16 of 60 are each connection's own: two take 88 of the 100.
    let before = [try RawClient(node.address), try RawClient(node.address)]
    for (index, client) in before.enumerated() {
      cancel(60, on: client)
      try await eventually { node.server.statistics.callsTotal == 60 * UInt64(index + 1) }
    }
    for _ in 0..<2 {
      let client = try RawClient(node.address)
      cancel(60, on: client)
      let said = try await within(.seconds(10)) { String(decoding: client.readToEnd(), as: UTF8.self) }
      #expect(said.contains("too many cancelled calls of 127.0.0.1: 100 at once"))
    }
    for _ in 0..<3 {
      let task = Task { try await modest.unary(TestRequest(intervalUs: EndingTests.long)) }
      try await eventually { node.server.statistics.calls == 1 }
      task.cancel()
      _ = await task.result
      try await eventually { node.server.statistics.calls == 0 }
    }
    _ = try await modest.empty(TestEmpty())
    try await eventually { node.server.statistics.clients == 3 }
    withExtendedLifetime(before) {}
    await node.stop()
  }
}
