import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// A client that is gone while it has a call open: its handler is cancelled, whatever the call waits for, and the node says it.
@Suite struct VanishedClientTests {
  enum State: CaseIterable {
    case unaryInItsHandler, streamWithoutCredit, streamThatNobodyReads, frameThatNobodyReads, uploadThatWaits
    case uploadInAPayload, uploadInAChunk
  }

  @Test(arguments: State.allCases, [false, true]) func itsHandlersAreCancelled(
    _ state: State, _ isReset: Bool
  ) async throws {
    let notices = Mutex<[ServerNotice]>([])
    var configuration = NodeConfiguration()
    configuration.report = { notice in notices.withLock { $0.append(notice) } }
    let node = try Node(configuration: configuration)
    let client = try RawClient(node.address, receiveBuffer: 4_096)
    client.send(Envelope(kind: .hello(Hello(version: 1))))
    reach(state, client)
    try await eventually {
      node.server.statistics.calls == 1 && (!state.isStuck || node.server.statistics.bytesSent > 100_000)
    }
    if isReset { client.reset() } else { client.leave() }
    try await eventually { node.server.statistics.calls == 0 && node.server.statistics.clients == 0 }
    await node.stop()
    let notice = try #require(notices.withLock { $0 }.first)
    #expect(notice.kind == .vanished)
    #expect(notice.text.contains("gone in the middle of 1 call: "))
  }

  private func reach(_ state: State, _ client: RawClient) {
    let bulk = TestRequest(responsePayloadBytes: 1_000_000, responseCount: 50)
    switch state {
    case .unaryInItsHandler: open(client, "Unary", TestRequest(intervalUs: EndingTests.long))
    case .streamWithoutCredit: open(client, "Download", bulk)
    case .streamThatNobodyReads: open(client, "Download", bulk, credit: 50)
    case .frameThatNobodyReads:
      let frames = TestRequest(
        responsePayloadBytes: 8_000_000, responseCount: 1_000_000, intervalUs: 10_000, latestWins: true)
      open(client, "Download", frames, credit: 50)
    case .uploadThatWaits: open(client, "Upload", TestRequest(), last: false)
    case .uploadInAPayload, .uploadInAChunk:
      open(client, "Upload", TestRequest(), last: false)
      let message = Envelope(callID: 1, kind: .message(Message(payloadLength: 1_000_000)))
      var packet = PacketEncoder.header(message, chunkLength: 10_000) + [UInt8](repeating: 7, count: 10_000)
      if state == .uploadInAChunk { packet.removeLast(5_000) }
      client.send(packet)
    }
  }

  private func open(
    _ client: RawClient, _ method: String, _ request: TestRequest, credit: UInt32 = 0, last: Bool = true
  ) {
    let request = Request(
      method: "capture.v1.Test/\(method)", credit: credit, body: request.encoded(), last: last)
    client.send(Envelope(callID: 1, kind: .request(request)))
  }
}

extension VanishedClientTests.State {
  /// The node has more to say than the socket takes.
  var isStuck: Bool { self == .streamThatNobodyReads || self == .frameThatNobodyReads }
}
