import Testing

@testable import CaptureWire

/// What the node makes of answers about as long as the client's envelope limit.
@Suite struct AnswerLimitTests {
  static let limit = 1_024

  static func node() -> ServerFixture {
    let node = ServerFixture(isGreeted: false)
    node.feed(
      Envelope(
        kind: .hello(Hello(version: 1, limits: Limits(maxEnvelopeBytes: UInt32(limit))))))
    node.open(1, "t.S/Plain")
    _ = node.output()
    return node
  }

  static func size(_ status: Status) -> Int { Envelope(callID: 1, kind: .status(status)).encodedSize }

  @Test func anAnswerThatFitsGoesWholeAndOneMoreByteIsRefused() throws {
    func size(_ count: Int) -> Int {
      let message = Message(body: [UInt8](repeating: 7, count: count))
      return Envelope(callID: 1, kind: .message(message)).encodedSize
    }
    let most = Self.limit - (size(1_000) - 1_000)
    #expect(size(most) == Self.limit)
    let node = Self.node()
    try node.state.send(1, RawMessage(body: [UInt8](repeating: 7, count: most)))
    let output = node.output()
    #expect(output.count == 1)
    let error = #expect(throws: RPCError.self) {
      try node.state.send(1, RawMessage(body: [UInt8](repeating: 7, count: most + 1)))
    }
    #expect(error?.code == .resourceExhausted && error?.text.contains("1025") == true)
  }

  @Test func aStatusThatFitsGoesWhole() {
    let longest = Self.limit - (Self.size(Status(code: 9, text: String(repeating: "x", count: 900))) - 900)
    for count in [longest - 1, longest, longest + 1, 5_000] {
      let node = Self.node()
      node.state.handlerEnded(1, RPCError(.failedPrecondition, String(repeating: "x", count: count)))
      let status = node.status(of: 1)
      #expect(status?.text.utf8.count == min(count, longest))
    }
  }

  @Test func aTextIsCutBetweenCharacters() {
    for filler in 0..<4 {
      let text = String(repeating: "x", count: filler) + String(repeating: "😈", count: 500)
      let node = Self.node()
      node.state.handlerEnded(1, RPCError(.failedPrecondition, text))
      let status = node.status(of: 1)
      let cut = status?.text ?? ""
      #expect(text.hasPrefix(cut) && !cut.isEmpty)
      #expect(status.map { (Self.limit - 3...Self.limit).contains(Self.size($0)) } == true)
    }
  }

  @Test func metadataGoesWithTheStatusWhereBothFit() {
    for (count, isKept) in [(800, true), (1_100, false)] {
      let node = Self.node()
      let metadata = [CallMetadata(key: "k", value: [UInt8](repeating: 1, count: count))]
      node.state.handlerEnded(1, RPCError(.aborted, String(repeating: "x", count: 150), metadata: metadata))
      let status = node.status(of: 1)
      #expect(status?.text.count == 150)
      #expect(status?.metadata.isEmpty == !isKept)
    }
  }
}
