import CaptureSystem
import Testing

@testable import CaptureWire

/// What a client does with what a node says, right and wrong.
@Suite struct ClientRulesTests {
  // MARK: Opening

  @Test func helloIsTheFirstPacketAndRequestsMayFollowRightBehind() throws {
    let client = ClientFixture(isGreeted: false)
    let id = try client.open(ClientFixture.unary)
    let output = client.output()
    guard case .hello(let hello)? = output.first?.kind, case .request(let request)? = output.last?.kind else {
      return #expect(Bool(false))
    }
    #expect(hello.version == 1 && output.count == 2 && output[1].callID == id)
    #expect(request.method == "t.S/Unary" && request.last && request.credit == 0)
  }

  @Test func callNumbersAreOddAndRise() throws {
    let client = ClientFixture()
    let ids = [
      try client.open(ClientFixture.unary), try client.open(ClientFixture.down),
      try client.open(ClientFixture.up),
    ]
    #expect(ids == [1, 3, 5])
  }

  static let notHello: [Envelope.Kind] = [.ping(Ping()), .pong(Pong()), .hello(Hello(version: 2))]

  @Test(arguments: notHello) func anotherFirstPacketEndsTheConnection(_ kind: Envelope.Kind) throws {
    let client = ClientFixture(isGreeted: false)
    let id = try client.open(ClientFixture.unary)
    client.feed(kind)
    let endings = client.endings()
    #expect(endings.first?.0 == id && endings.first?.1?.code == .internal)
    guard case .goAway? = client.output().last?.kind else { return #expect(Bool(false), "the node is told") }
  }

  @Test func whatIsNoNodeIsNotSpokenTo() {
    let client = ClientFixture(isGreeted: false)
    _ = client.output()
    client.state.fail(ProtocolViolation.otherProtocol(firstByte: 0x48))
    let output = client.output()
    #expect(client.state.failure?.code == .unavailable && output.isEmpty)
  }

  // MARK: Answers

  @Test func anAnswerArrivesInChunksAndTheStatusEndsTheCall() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.unary)
    client.feed(.message(Message(body: [9], payloadLength: 4)), on: id, chunk: [1, 2])
    client.feed(.ping(Ping()))
    client.feed(.chunk(Chunk()), on: id, chunk: [3, 4])
    let messages = client.messages()
    #expect(messages.first?.0 == id && messages.first?.1.body == [9])
    #expect(messages.first?.1.payload?.bytes == [1, 2, 3, 4])
    client.feed(.status(Status()), on: id)
    let endings = client.endings()
    #expect(endings.count == 1 && endings[0].1 == nil && client.state.openCalls == 0)
  }

  @Test func anAbortedPayloadIsDroppedAndItsCreditReturns() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.down, window: 1)
    for _ in 0..<3 {
      client.feed(.message(Message(payloadLength: 4)), on: id, chunk: [1])
      client.feed(.chunk(Chunk(abort: true)), on: id)
    }
    client.feed(.message(Message()), on: id)
    let messages = client.messages()
    #expect(messages.count == 1 && client.state.failure == nil)
  }

  @Test func readingGivesCreditInHalvesOfTheWindow() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.down, window: 4)
    _ = client.output()
    client.state.consumed(id)
    let early = client.output()
    client.state.consumed(id)
    let output = client.output()
    #expect(early.isEmpty && output == [Envelope(callID: id, kind: .credit(Credit(messages: 2)))])
  }

  @Test func anAnswerPastThePayloadLimitEndsItsCallOnly() throws {
    let client = ClientFixture { $0.payloadLimit = 10 }
    let id = try client.open(ClientFixture.unary)
    client.feed(.message(Message(payloadLength: 11)), on: id, chunk: [1])
    let endings = client.endings()
    #expect(endings.first?.1?.code == .resourceExhausted && client.state.failure == nil)
    client.feed(.chunk(Chunk()), on: id, chunk: [2])
    #expect(client.state.failure == nil, "the rest crosses the Cancel")
  }

  static let broken: [(Envelope.Kind?, UInt32, [UInt8])] = [
    (nil, 0, [1]), (.ping(Ping()), 0, [1]), (.ping(Ping()), 1, []), (.goAway(GoAway()), 1, []),
    (.hello(Hello(version: 1)), 0, []), (.message(Message()), 0, []), (.cancel(Cancel()), 1, []),
    (.request(Request()), 1, []), (.message(Message()), 1, [1]), (.chunk(Chunk()), 1, []),
    (.status(Status()), 1, [1]), (.credit(Credit(messages: 1)), 1, [1]),
    (.credit(Credit(messages: .max)), 5, []),
  ]

  @Test(arguments: broken.indices) func aNodeThatBreaksARuleIsToldAndLeft(_ index: Int) throws {
    let client = ClientFixture()
    for method in [ClientFixture.down, ClientFixture.unary, ClientFixture.up] { _ = try client.open(method) }
    let (kind, call, chunk) = Self.broken[index]
    client.feed(.credit(Credit(messages: 1)), on: 5)
    client.feed(kind, on: call, chunk: chunk)
    #expect(client.state.failure?.code == .internal)
    guard case .goAway(let goAway)? = client.output().last?.kind else { return #expect(Bool(false)) }
    #expect(goAway.code == StatusCode.invalidArgument.rawValue)
    let endings = client.endings()
    #expect(endings.map(\.0) == [1, 3, 5])
  }

  @Test func aMessagePastItsCreditEndsTheConnection() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.down, window: 2)
    for _ in 0..<3 { client.feed(.message(Message()), on: id) }
    #expect(client.state.failure?.text.contains("credit") == true)
  }

  // MARK: Sending

  @Test func aClientStreamWaitsForTheNodesCredit() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.up)
    // Hello said 2, and the Request carried a message.
    try client.state.send(id, RawMessage(body: [2]))
    let before = client.state.canSend(id)
    client.feed(.credit(Credit(messages: 1)), on: id)
    let after = client.state.canSend(id)
    #expect(!before && after)
    client.state.finishSending(id)
    #expect(throws: RPCError.self) { try client.state.send(id, RawMessage(body: [3])) }
  }

  @Test func aCancelledCallEndsAtOnceAndWhatStillComesIsIgnored() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.unary)
    _ = client.output()
    client.state.cancel(id, RPCError(.cancelled, "enough"))
    let output = client.output()
    let endings = client.endings()
    #expect(output == [Envelope(callID: id, kind: .cancel(Cancel()))])
    #expect(endings.count == 1 && endings[0].1 == RPCError(.cancelled, "enough"))
    client.feed(.message(Message(payloadLength: 5)), on: id, chunk: [1])
    client.feed(.status(Status(code: 1)), on: id)
    let late = client.endings()
    #expect(late.isEmpty && client.state.failure == nil)
  }

  // MARK: Time and the end

  @Test func aPassedDeadlineEndsTheCallAndTellsTheNode() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.unary, timeout: .milliseconds(10))
    _ = client.output()
    #expect(client.state.due == 10_000_000)
    client.state.tick(now: 10_000_000)
    let endings = client.endings()
    let output = client.output()
    #expect(endings.first?.1?.code == .deadlineExceeded)
    #expect(output == [Envelope(callID: id, kind: .cancel(Cancel()))])
  }

  @Test func silenceIsAskedAboutAndThenGivenUp() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.unary)
    _ = client.output()
    client.state.tick(now: 30_000_000_000)
    guard case .ping? = client.output().first?.kind else { return #expect(Bool(false)) }
    client.state.tick(now: 40_000_000_000)
    let endings = client.endings()
    #expect(endings.first?.0 == id && endings.first?.1?.code == .unavailable)
  }

  @Test func aDrainingNodeFinishesWhatItHasAndTakesNoMore() throws {
    let client = ClientFixture()
    let kept = try client.open(ClientFixture.unary)
    let behind = try client.open(ClientFixture.unary)
    client.feed(.goAway(GoAway(lastCallID: kept, text: "bye")))
    let endings = client.endings()
    #expect(endings.map(\.0) == [behind] && endings[0].1?.code == .unavailable)
    #expect(throws: RPCError.self) { try client.open(ClientFixture.unary) }
    client.feed(.message(Message(body: [1])), on: kept)
    let messages = client.messages()
    #expect(messages.map(\.0) == [kept])
  }

  @Test func aGoAwayWithAReasonEndsEveryCallWithIt() throws {
    let client = ClientFixture()
    let id = try client.open(ClientFixture.unary)
    client.feed(.goAway(GoAway(lastCallID: 9, code: 8, text: "too many")))
    let endings = client.endings()
    #expect(endings.map(\.0) == [id] && endings[0].1?.code == .resourceExhausted)
    #expect(endings[0].1?.text.contains("too many") == true)
  }
}
