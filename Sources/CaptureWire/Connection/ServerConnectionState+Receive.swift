import CaptureModel
import CaptureSystem

extension ServerConnectionState: InboundState {
  package mutating func heard(now: UInt64) {
    keepalive.heard(now: now)
    isSilent = false
  }

  package mutating func receive(
    _ envelope: Envelope, chunkLength: Int, now: UInt64
  ) throws(ProtocolViolation) -> PayloadAssembly? {
    guard phase != .closing else { return nil }
    guard let kind = envelope.kind else {
      guard chunkLength == 0 else { throw .strayChunk("packet without a kind") }
      return nil
    }
    if case .awaitingHello = phase {
      guard case .hello(let hello) = kind, envelope.callID == 0 else {
        throw ProtocolViolation(.invalidArgument, "the first packet has to be a Hello on call 0")
      }
      try greet(hello, chunkLength)
      return nil
    }
    if envelope.callID == 0 {
      try receiveOnConnection(kind, chunkLength, now)
      return nil
    }
    return try receiveOnCall(envelope.callID, kind, chunkLength, now)
  }

  private mutating func greet(_ hello: Hello, _ chunkLength: Int) throws(ProtocolViolation) {
    guard chunkLength == 0 else { throw .strayChunk("Hello") }
    guard hello.version == 1 else {
      throw ProtocolViolation(
        .failedPrecondition,
        "version \(hello.version) of the protocol is not spoken here; this node speaks: 1")
    }
    outbox.peer = try PacketLimits(announced: hello.limits, standard: .client)
    caller = try identify(hello)
    phase = .open
    var limits = configuration.limits.message
    limits.maxCalls = UInt32(configuration.maxCalls)
    outbox.send(
      Envelope(
        kind: .hello(
          Hello(
            version: 1, agent: configuration.agent, bootID: configuration.bootID, limits: limits,
            initialCredit: configuration.initialCredit, startedNs: configuration.startedAt))))
    if isDraining {
      isDraining = false
      drain(text: drainText)
    }
  }

  private mutating func receiveOnConnection(
    _ kind: Envelope.Kind, _ chunkLength: Int, _ now: UInt64
  ) throws(ProtocolViolation) {
    guard chunkLength == 0 else { throw .strayChunk(kind.name) }
    switch kind {
    case .hello:
      throw ProtocolViolation(.invalidArgument, "a second Hello")
    case .ping(let ping):
      outbox.send(
        Envelope(
          kind: .pong(Pong(pingSentNs: ping.sentNs, receivedNs: now, sentNs: MonotonicClock.now()))))
    case .pong:
      // ``heard(now:)`` was called before, and the keepalive waits for nothing else.
      break
    case .goAway:
      isDraining = true
      drainText = "the client has said that it makes no more calls (GoAway)"
    case .request, .message, .chunk, .status, .cancel, .credit:
      throw ProtocolViolation(.invalidArgument, "\(kind.name) belongs to a call; call 0 is the connection")
    }
  }

  private mutating func receiveOnCall(
    _ id: UInt32, _ kind: Envelope.Kind, _ chunkLength: Int, _ now: UInt64
  ) throws(ProtocolViolation) -> PayloadAssembly? {
    if kind.isOfConnection {
      throw ProtocolViolation(.invalidArgument, "\(kind.name) belongs to call 0, not to call \(id)")
    }
    guard calls.contains(id) else {
      if case .request(let request) = kind { return open(id, request, chunkLength, now) }
      // The packet may have crossed the call's Status. That cannot be so for an even number, which no call has.
      if id <= lastCallID, id % 2 == 1 {
        if case .cancel = kind { try chargeCancel(now) }
        return nil
      }
      refuse(id, .invalidArgument, "\(kind.name) for call \(id), which no Request has opened")
      return nil
    }
    let assembly = receive(kind, onOpenCall: id, chunkLength)
    // Each way in which a client makes the node give up a call counts as a cancel: a broken packet is as cheap as a Cancel.
    if !calls.contains(id) { try chargeCancel(now) }
    return assembly
  }

  private mutating func chargeCancel(_ now: UInt64) throws(ProtocolViolation) {
    cancelsTotal += 1
    guard cancels.take(now: now) else {
      throw ProtocolViolation(
        .resourceExhausted,
        "too many cancelled calls: \(configuration.cancelBurst) at once and \(configuration.cancelsPerSecond) a second are taken (cancelBurst, cancelsPerSecond)",
        NodeLimit.cancelBurst.details(bound: Int(configuration.cancelBurst))
      )
    }
  }

  private mutating func receive(
    _ kind: Envelope.Kind, onOpenCall id: UInt32, _ chunkLength: Int
  ) -> PayloadAssembly? {
    switch kind {
    case .message(let message): return receive(message, on: id, chunkLength)
    case .chunk(let chunk): return receive(chunk, on: id, chunkLength)
    case .request: end(id, .invalidArgument, "a second Request for call \(id)")
    case .status: end(id, .invalidArgument, "a Status comes from the node only")
    case .cancel, .credit:
      guard chunkLength == 0 else {
        end(id, .invalidArgument, "a \(kind.name) carries no payload")
        return nil
      }
      if case .credit(let credit) = kind {
        receive(credit, on: id)
      } else {
        end(id, .cancelled, "the client cancelled the call", .init(.cancelled))
      }
    case .hello, .ping, .pong, .goAway: break
    }
    return nil
  }

  private mutating func receive(_ credit: Credit, on id: UInt32) {
    let (sum, isOverflow) = calls[existing: id].sendCredit.addingReportingOverflow(credit.messages)
    guard !isOverflow else {
      end(id, .invalidArgument, "the credit of this call is past 4,294,967,295 messages")
      return
    }
    calls[existing: id].sendCredit = sum
    actions.append(.credit(id))
  }
}

extension ProtocolViolation {
  static func strayChunk(_ kind: String) -> ProtocolViolation {
    ProtocolViolation(.invalidArgument, "a \(kind) carries no payload")
  }
}

extension Envelope.Kind {
  /// Whether the packet concerns the connection, not a call.
  var isOfConnection: Bool {
    switch self {
    case .hello, .ping, .pong, .goAway: true
    case .request, .message, .chunk, .status, .cancel, .credit: false
    }
  }

  /// The name for a person.
  var name: String {
    switch self {
    case .hello: "Hello"
    case .request: "Request"
    case .message: "Message"
    case .chunk: "Chunk"
    case .status: "Status"
    case .cancel: "Cancel"
    case .credit: "Credit"
    case .ping: "Ping"
    case .pong: "Pong"
    case .goAway: "GoAway"
    }
  }
}
