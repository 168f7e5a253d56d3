import CaptureSystem
import Testing

@testable import CaptureWire

/// Every rule that a client can break, and the node's exact answer.
@Suite struct ServerRulesTests {
  static let invalid = StatusCode.invalidArgument.rawValue

  // MARK: On the connection

  @Test func theFirstPacketHasToBeHello() {
    let node = ServerFixture(isGreeted: false)
    node.feed(Envelope(kind: .ping(Ping())))
    let goAway1 = node.goAway()
    #expect(goAway1?.text.contains("Hello") == true)
    #expect(node.isClosing)
  }

  @Test func noPingComesBeforeTheNodesHello() {
    let node = ServerFixture(isGreeted: false) { $0.keepaliveIdle = 1_000_000_000 }
    node.state.tick(now: 4_000_000_000)
    #expect(node.output().isEmpty)
    #expect(node.state.due == 5_000_000_000)
    node.feed(Envelope(kind: .hello(Hello(version: 1))), now: 4_500_000_000)
    let answer = node.output()
    guard answer.count == 1, case .hello = answer[0].kind else {
      Issue.record("\(answer)")
      return
    }
    #expect(node.state.due == 5_500_000_000)
    node.state.tick(now: 5_500_000_000)
    guard case .ping = node.output().first?.kind else {
      Issue.record("no Ping")
      return
    }
  }

  @Test func anEmptyEnvelopeIsLegalAnywhereAndDoesNotStopTheHelloTimer() {
    let node = ServerFixture(isGreeted: false)
    node.feed(Envelope(), now: 1)
    let output2 = node.output()
    #expect(output2.isEmpty && !node.state.isClosing)
    node.state.tick(now: 5_000_000_001)
    let goAway = node.goAway()
    #expect(goAway?.code == StatusCode.deadlineExceeded.rawValue && goAway?.text.contains("Hello") == true)
    #expect(node.state.isClosing && !node.state.isDead, "the GoAway is still to be written")
  }

  @Test func nothingIsSaidToAPeerThatSaysNothing() {
    let node = ServerFixture(isGreeted: false)
    node.state.tick(now: 4_999_999_999)
    #expect(!node.isDead)
    node.state.tick(now: 5_000_000_000)
    #expect(node.isDead)
  }

  @Test func anUnknownVersionIsToldWhichOnesThereAre() {
    let node = ServerFixture(isGreeted: false)
    node.feed(Envelope(kind: .hello(Hello(version: 9))))
    let goAway = node.goAway()
    #expect(goAway?.code == StatusCode.failedPrecondition.rawValue)
    #expect(goAway?.text.contains("speaks: 1") == true)
  }

  static let strays: [Envelope.Kind] = [
    .hello(Hello(version: 1)), .request(Request()), .message(Message()), .chunk(Chunk()), .status(Status()),
    .cancel(Cancel()), .credit(Credit()),
  ]

  @Test(arguments: strays) func whatDoesNotBelongToTheConnectionEndsIt(_ kind: Envelope.Kind) {
    let node = ServerFixture()
    node.feed(Envelope(kind: kind))
    let goAway3 = node.goAway()
    #expect(goAway3?.code == Self.invalid)
  }

  @Test func aPingWithPayloadEndsTheConnection() {
    let node = ServerFixture()
    node.feed(Envelope(kind: .ping(Ping())), chunk: [1])
    let goAway4 = node.goAway()
    #expect(goAway4?.code == Self.invalid)
  }

  @Test(arguments: [Envelope.Kind.hello(Hello(version: 1)), .ping(Ping()), .pong(Pong()), .goAway(GoAway())])
  func whatBelongsToTheConnectionEndsItOnACall(_ kind: Envelope.Kind) {
    for id: UInt32 in [1, 7] {
      let node = ServerFixture()
      node.open(1, "t.S/Plain")
      node.feed(Envelope(callID: id, kind: kind))
      let goAway = node.goAway()
      #expect(goAway?.code == Self.invalid && goAway?.text.contains("call \(id)") == true)
    }
  }

  @Test(arguments: [true, false]) func bytesWithoutAKindEndTheConnection(_ isGreeted: Bool) {
    let node = ServerFixture(isGreeted: isGreeted)
    node.feed(Envelope(), chunk: [1])
    let goAway = node.goAway()
    #expect(goAway?.code == Self.invalid)
  }

  @Test func afterAClientsGoAwayNoCallIsTakenAndOpenOnesFinish() {
    let node = ServerFixture()
    node.open(1, "t.S/Plain")
    node.feed(Envelope(kind: .goAway(GoAway())))
    node.open(3, "t.S/Plain")
    let status = node.status(of: 3)
    #expect(status?.code == StatusCode.unavailable.rawValue)
    #expect(node.state.isDraining && node.state.openCalls == 1)
  }

  @Test func aPingIsAnswered() {
    let node = ServerFixture()
    node.feed(Envelope(kind: .ping(Ping(sentNs: 5))), now: 9)
    let output5 = node.output()
    guard case .pong(let pong)? = output5.first?.kind else { return #expect(Bool(false)) }
    #expect(pong.pingSentNs == 5 && pong.receivedNs == 9 && pong.sentNs > 0)
  }

  // MARK: Opening

  @Test func callNumbersAreOddAndRise() {
    let node = ServerFixture()
    node.open(2, "t.S/Plain")
    let status6 = node.status(of: 2)
    #expect(status6?.code == Self.invalid)
    node.open(5, "t.S/Plain")
    node.open(5, "t.S/Plain")
    let status7 = node.status(of: 5)
    #expect(status7?.text.contains("second Request") == true)
    node.open(3, "t.S/Plain")
    let status8 = node.status(of: 3)
    #expect(status8?.text.contains("rise") == true)
  }

  @Test func anUnknownMethodIsToldItsServicesMethods() {
    let node = ServerFixture()
    node.open(1, "t.S/Nope")
    let status = node.status(of: 1)
    #expect(status?.code == StatusCode.unimplemented.rawValue)
    #expect(status?.text.contains("t.S/Nope") == true && status?.text.contains("t.S/Unary") == true)
  }

  @Test func aMethodIsFoundWhicheverWasCalledBefore() {
    let node = ServerFixture()
    let names = ["t.S/Plain", "t.S/Plain", "t.S/Down", "t.S/Nope", "t.S/Nope", "t.S/Down", "t.S/Plain"]
    for (index, name) in names.enumerated() { node.open(UInt32(2 * index + 1), name) }
    let started = node.state.actions.compactMap { action -> String? in
      guard case .start(let call) = action else { return nil }
      return call.method.name
    }
    #expect(started == names.filter { $0 != "t.S/Nope" })
  }

  @Test func aPayloadPastTheMethodsLimitIsRefusedBeforeItComes() {
    let node = ServerFixture()
    node.open(1, "t.S/Plain", payload: 1, chunk: [1])
    let status9 = node.status(of: 1)
    #expect(status9?.code == Self.invalid)
    node.open(3, "t.S/Unary", payload: .max)
    let status10 = node.status(of: 3)
    #expect(status10?.text.contains("at most 1000") == true)
    #expect(node.state.runningHandlers == 0)
  }

  @Test func aRequestOfOneMessageHasToSayThatItIsTheLast() {
    let node = ServerFixture()
    node.open(1, "t.S/Plain", last: false)
    let status11 = node.status(of: 1)
    #expect(status11?.code == Self.invalid)
    node.open(3, "t.S/Plain", noMessage: true)
    let status12 = node.status(of: 3)
    #expect(status12?.code == Self.invalid)
    node.open(5, "t.S/Up", body: [1], noMessage: true)
    let status13 = node.status(of: 5)
    #expect(status13?.code == Self.invalid)
  }

  @Test func handlersAreCappedTheCancelledCounted() {
    let node = ServerFixture { $0.maxCalls = 2 }
    node.open(1, "t.S/Plain")
    node.open(3, "t.S/Plain")
    node.feed(Envelope(callID: 1, kind: .cancel(Cancel())))
    let status14 = node.status(of: 1)
    #expect(status14?.code == StatusCode.cancelled.rawValue)
    node.open(5, "t.S/Plain")
    let status15 = node.status(of: 5)
    #expect(status15?.code == StatusCode.resourceExhausted.rawValue)
    node.state.handlerEnded(1, RPCError(.cancelled, ""))
    node.open(7, "t.S/Plain")
    let output16 = node.output()
    #expect(node.state.runningHandlers == 2 && output16.isEmpty)
  }

  @Test func tooManyCancelsEndTheConnection() {
    let node = ServerFixture { $0.cancelBurst = 3 }
    for id in stride(from: UInt32(1), through: 7, by: 2) {
      node.open(id, "t.S/Plain")
      node.feed(Envelope(callID: id, kind: .cancel(Cancel())))
      node.state.handlerEnded(id, RPCError(.cancelled, ""))
    }
    let goAway17 = node.goAway()
    #expect(goAway17?.code == StatusCode.resourceExhausted.rawValue)
  }

  @Test func cancelsOfRefusedCallsCount() {
    let node = ServerFixture {
      $0.cancelBurst = 3
      $0.maxCalls = 0
    }
    for id in stride(from: UInt32(1), through: 7, by: 2) {
      node.open(id, "t.S/Plain")
      node.feed(Envelope(callID: id, kind: .cancel(Cancel())))
    }
    let goAway = node.goAway()
    #expect(goAway?.code == StatusCode.resourceExhausted.rawValue)
  }

  @Test func nothingCrossesOnAnEvenNumber() {
    let node = ServerFixture()
    node.open(5, "t.S/Plain")
    node.feed(Envelope(callID: 4, kind: .credit(Credit(messages: 1))))
    node.feed(Envelope(callID: 3, kind: .credit(Credit(messages: 1))))
    let output = node.output()
    #expect(output.map(\.callID) == [4])
  }

  @Test func callsThatAClientBreaksCountAsCancelled() {
    let broken: [Envelope.Kind] = [
      .status(Status()), .request(Request()), .message(Message()), .chunk(Chunk()), .cancel(Cancel()),
    ]
    for kind in broken {
      let node = ServerFixture { $0.cancelBurst = 3 }
      for id in stride(from: UInt32(1), through: 7, by: 2) {
        node.open(id, "t.S/Plain")
        node.feed(Envelope(callID: id, kind: kind))
        node.state.handlerEnded(id, RPCError(.cancelled, ""))
      }
      let goAway = node.goAway()
      #expect(goAway?.code == StatusCode.resourceExhausted.rawValue, "\(kind)")
    }
  }

  // MARK: Messages and payloads

  @Test(arguments: [Envelope.Kind.cancel(Cancel()), .credit(Credit(messages: 1)), .status(Status())])
  func bytesWhereTheKindCarriesNoneEndTheCall(_ kind: Envelope.Kind) {
    let node = ServerFixture()
    node.open(1, "t.S/Down", credit: 1)
    node.feed(Envelope(callID: 1, kind: kind), chunk: [1, 2])
    let status = node.status(of: 1)
    #expect(status?.code == Self.invalid)
    node.feed(Envelope(kind: .ping(Ping())))
    let output = node.output()
    #expect(output.count == 1, "the connection goes on behind the bytes")
  }

  @Test func aMessageBelongsToAnOpenClientStreamWithCredit() {
    let node = ServerFixture { $0.initialCredit = 2 }
    node.feed(Envelope(callID: 9, kind: .message(Message())))
    let status18 = node.status(of: 9)
    #expect(status18?.text.contains("no Request") == true)
    node.open(1, "t.S/Down", credit: 1)
    node.feed(Envelope(callID: 1, kind: .message(Message())))
    let status19 = node.status(of: 1)
    #expect(status19?.code == Self.invalid)
    node.feed(Envelope(callID: 1, kind: .message(Message())))
    let output20 = node.output()
    #expect(output20.isEmpty, "it may have crossed the Status")

    node.open(3, "t.S/Up", last: false, noMessage: true)
    for _ in 0..<3 { node.feed(Envelope(callID: 3, kind: .message(Message()))) }
    let status21 = node.status(of: 3)
    #expect(status21?.text.contains("credit") == true)

    node.open(5, "t.S/Up", last: false, noMessage: true)
    node.feed(Envelope(callID: 5, kind: .message(Message(last: true, noMessage: true))))
    node.feed(Envelope(callID: 5, kind: .message(Message())))
    let status22 = node.status(of: 5)
    #expect(status22?.text.contains("last") == true)
  }

  @Test func consumedMessagesGiveCreditBack() {
    let node = ServerFixture { $0.initialCredit = 2 }
    node.open(1, "t.S/Up", last: false)
    node.state.consumed(1)
    let output23 = node.output()
    #expect(output23 == [Envelope(callID: 1, kind: .credit(Credit(messages: 1)))])
  }

  @Test func chunksFillAPayloadAndNoMore() {
    let node = ServerFixture()
    node.open(1, "t.S/Unary", payload: 4, chunk: [1, 2])
    #expect(node.state.actions.isEmpty)
    node.feed(Envelope(callID: 1, kind: .chunk(Chunk())), chunk: [3, 4])
    guard case .start(let call)? = node.state.actions.first else { return #expect(Bool(false)) }
    #expect(call.request?.payload?.bytes == [1, 2, 3, 4])
    node.feed(Envelope(callID: 1, kind: .chunk(Chunk())), chunk: [5])
    let status24 = node.status(of: 1)
    #expect(status24?.text.contains("no payload is unfinished") == true)
  }

  @Test func aChunkPastThePayloadEndsTheCall() {
    let node = ServerFixture()
    node.open(1, "t.S/Unary", payload: 2, chunk: [1, 2, 3])
    let status25 = node.status(of: 1)
    #expect(status25?.code == Self.invalid)
    node.open(3, "t.S/Unary", payload: 2, chunk: [1])
    node.feed(Envelope(callID: 3, kind: .chunk(Chunk())), chunk: [2, 3])
    let status26 = node.status(of: 3)
    #expect(status26?.text.contains("1 of the payload's 2 are left") == true)
    node.feed(Envelope(kind: .ping(Ping())))
    let output27 = node.output()
    #expect(output27.count == 1, "the connection goes on")
  }

  /// Its handler says whether the client may send, and has to do so before memory is taken for what comes.
  @Test func aClientStreamBeginsBeforeThePayloadOfItsFirstMessageHasCome() {
    let node = ServerFixture()
    node.open(1, "t.S/Up", last: false, payload: 4, chunk: [1, 2])
    guard case .start(let call)? = node.state.actions.first else { return #expect(Bool(false)) }
    #expect(call.request == nil && node.state.actions.count == 1)
    #expect(node.state.runningHandlers == 1)
    node.state.handlerEnded(1, RPCError(.resourceExhausted, "enough"))
    let status = node.status(of: 1)
    #expect(status?.code == StatusCode.resourceExhausted.rawValue)
    node.feed(Envelope(callID: 1, kind: .chunk(Chunk())), chunk: [3, 4])
    #expect(node.state.actions.count == 1, "the message is dropped")
    let output = node.output()
    #expect(output.isEmpty && !node.isClosing)
  }

  @Test func aClientStreamBeginsOnce() {
    let node = ServerFixture()
    node.open(1, "t.S/Up", last: false, payload: 2, chunk: [1])
    node.feed(Envelope(callID: 1, kind: .chunk(Chunk())), chunk: [2])
    node.feed(Envelope(callID: 1, kind: .message(Message(last: true, payloadLength: 1))), chunk: [3])
    let actions = node.state.actions.map { action -> String in
      switch action {
      case .start: "start"
      case .message: "message"
      case .endOfMessages: "end"
      case .stop, .credit: "other"
      }
    }
    #expect(actions == ["start", "message", "message", "end"])
  }

  @Test func anAbortedMessageIsDroppedAndItsCreditReturns() {
    let node = ServerFixture { $0.initialCredit = 1 }
    node.open(1, "t.S/Up", last: false, payload: 10, chunk: [1])
    for _ in 0..<3 {
      node.feed(Envelope(callID: 1, kind: .chunk(Chunk(abort: true))))
      node.feed(Envelope(callID: 1, kind: .message(Message(payloadLength: 10))), chunk: [1])
    }
    let output28 = node.output()
    #expect(output28.isEmpty)
    node.feed(Envelope(callID: 1, kind: .message(Message())))
    let status29 = node.status(of: 1)
    #expect(status29?.text.contains("before the payload") == true)
    node.open(3, "t.S/Unary", payload: 4, chunk: [1])
    node.feed(Envelope(callID: 3, kind: .chunk(Chunk(abort: true))))
    let status30 = node.status(of: 3)
    #expect(status30?.code == StatusCode.cancelled.rawValue)
  }

  @Test func creditPastItsRangeEndsTheCall() {
    let node = ServerFixture()
    for (id, method) in [(UInt32(1), "t.S/Down"), (3, "t.S/Up")] {
      node.open(id, method, last: method == "t.S/Down", credit: .max)
      node.feed(Envelope(callID: id, kind: .credit(Credit(messages: 1))))
      let status = node.status(of: id)
      #expect(status?.code == Self.invalid && status?.text.contains("credit") == true)
    }
  }

  @Test func theCreditOfAnAbortedFrameDoesNotOverflow() throws {
    let node = ServerFixture()
    node.open(1, "t.S/Down", credit: .max)
    let frame = RawMessage(body: [1], payload: Payload(copying: [2, 3]))
    try node.state.send(1, frame, reportedDiscards: 0)
    node.feed(Envelope(callID: 1, kind: .credit(Credit(messages: 1))))
    let isAborted = node.state.abortFrame(1)
    #expect(isAborted && node.state.openCalls == 1)
  }

  // MARK: Time

  @Test func aPassedDeadlineEndsTheCallAndStopsTheHandler() {
    let node = ServerFixture()
    node.open(1, "t.S/Plain", timeout: 10)
    node.state.actions = []
    #expect(node.state.due == 10_000_000)
    node.state.tick(now: 10_000_000)
    let status32 = node.status(of: 1)
    #expect(status32?.code == StatusCode.deadlineExceeded.rawValue)
    guard case .stop(1)? = node.state.actions.first else { return #expect(Bool(false)) }
  }

  @Test func silenceIsAskedAboutAndThenGivenUp() {
    let node = ServerFixture()
    node.state.tick(now: 30_000_000_000)
    let output33 = node.output()
    #expect(output33.count == 1 && !node.state.isDead)
    node.state.tick(now: 40_000_000_000)
    #expect(node.isDead)
  }

  /// A node that is in the middle of a long packet after half a minute of the client's silence, and sends a Ping behind it.
  private func askingBehindAPacket() throws -> ServerFixture {
    let node = ServerFixture()
    node.open(1, "t.S/Down", credit: 2)
    try node.state.send(
      1, RawMessage(body: [1], payload: Payload(copying: [UInt8](repeating: 2, count: 200_000))))
    writeSome(node)
    node.state.tick(now: 30 * Self.second)
    return node
  }

  private func writeSome(_ node: ServerFixture) {
    var bytes: [UInt8] = []
    node.write(1_000, &bytes)
  }

  private static let second: UInt64 = 1_000_000_000

  @Test func thePeerOfASlowLinkHasTimeAsLongAsItTakesWhatComesBeforeThePing() throws {
    let node = try askingBehindAPacket()
    #expect(node.state.due == 31 * Self.second)
    for time in stride(from: UInt64(35), through: 200, by: 5) {
      writeSome(node)
      node.state.tick(now: time * Self.second)
      #expect(!node.isDead)
    }
    node.state.tick(now: 209 * Self.second)
    #expect(!node.isDead)
    node.state.tick(now: 210 * Self.second)
    #expect(node.isDead, "the link has taken nothing for ten seconds")
  }

  @Test func thePeerOfASlowLinkHasItsTimeForTheAnswerOnceThePingIsOut() throws {
    let node = try askingBehindAPacket()
    _ = node.written()
    node.state.tick(now: 36 * Self.second)
    #expect(node.state.due == 46 * Self.second)
    node.state.tick(now: 45 * Self.second)
    #expect(!node.isDead)
    // What goes out behind the Ping shows nothing.
    try node.state.send(1, RawMessage(body: [1]))
    _ = node.written()
    node.state.tick(now: 46 * Self.second)
    #expect(node.isDead)
  }

  @Test func aDrainRefusesNewCallsAndFinishesOldOnes() {
    let node = ServerFixture()
    node.open(1, "t.S/Plain")
    node.state.drain(text: "bye")
    let goAway34 = node.goAway()
    #expect(goAway34?.lastCallID == 1 && goAway34?.code == 0 && goAway34?.text == "bye")
    #expect(goAway34?.metadata.map(\.key) == ["capture-error-bin"])
    node.open(3, "t.S/Plain")
    let status35 = node.status(of: 3)
    #expect(status35?.code == StatusCode.unavailable.rawValue)
    node.state.handlerEnded(1, RPCError(.ok, ""))
    let status36 = node.status(of: 1)
    #expect(status36?.code == 0)
  }
}
