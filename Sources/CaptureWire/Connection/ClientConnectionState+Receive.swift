import CaptureSystem

extension ClientConnectionState: InboundState {
  package mutating func heard(now: UInt64) { keepalive.heard(now: now) }

  package mutating func receive(
    _ envelope: Envelope, chunkLength: Int, now: UInt64
  ) throws(ProtocolViolation) -> PayloadAssembly? {
    guard failure == nil else { return nil }
    guard let kind = envelope.kind else {
      guard chunkLength == 0 else { throw .strayChunk("packet without a kind") }
      return nil
    }
    if envelope.callID == 0 {
      guard chunkLength == 0 else { throw .strayChunk(kind.name) }
      try receiveOnConnection(kind, now)
      return nil
    }
    guard hello != nil else {
      throw ProtocolViolation(.invalidArgument, "the node's first packet is no Hello")
    }
    let id = envelope.callID
    if kind.isOfConnection {
      throw ProtocolViolation(.invalidArgument, "a \(kind.name) on call \(id) from the node")
    }
    // The packet may have crossed this side's Cancel.
    guard calls.contains(id) else { return nil }
    if case .status = kind, chunkLength > 0 { throw .strayChunk(kind.name) }
    if case .credit = kind, chunkLength > 0 { throw .strayChunk(kind.name) }
    switch kind {
    case .message(let message): return try receive(message, on: id, chunkLength)
    case .chunk(let chunk): return try receive(chunk, on: id, chunkLength)
    case .status(let status):
      end(id, status)
    case .credit(let credit):
      let (sum, isOverflow) = calls[existing: id].sendCredit.addingReportingOverflow(credit.messages)
      guard !isOverflow else {
        throw ProtocolViolation(.invalidArgument, "the credit of call \(id) is past 4,294,967,295 messages")
      }
      calls[existing: id].sendCredit = sum
      actions.append(.credit(id))
    case .hello, .ping, .pong, .goAway, .request, .cancel:
      throw ProtocolViolation(.invalidArgument, "a \(kind.name) on call \(id) from the node")
    }
    return nil
  }

  private mutating func receiveOnConnection(_ kind: Envelope.Kind, _ now: UInt64) throws(ProtocolViolation) {
    switch kind {
    case .goAway(let goAway):
      receive(goAway)
      return
    case .hello(let hello):
      guard self.hello == nil else { throw ProtocolViolation(.invalidArgument, "a second Hello") }
      guard hello.version == 1 else {
        throw ProtocolViolation(
          .failedPrecondition,
          "the node speaks version \(hello.version) of the protocol; this client speaks: 1")
      }
      outbox.peer = try PacketLimits(announced: hello.limits, standard: .node)
      self.hello = hello
      for id in calls.keys {
        let sent = calls[existing: id].sentMessages
        calls[existing: id].sendCredit += hello.initialCredit - min(sent, hello.initialCredit)
        actions.append(.credit(id))
      }
      actions.append(.opened(hello))
      return
    default:
      break
    }
    guard hello != nil else {
      throw ProtocolViolation(.invalidArgument, "the node's first packet is no Hello")
    }
    switch kind {
    case .ping(let ping):
      outbox.send(
        Envelope(
          kind: .pong(Pong(pingSentNs: ping.sentNs, receivedNs: now, sentNs: MonotonicClock.now()))))
    case .pong(let pong):
      actions.append(.pong(pong, received: now))
    default:
      throw ProtocolViolation(.invalidArgument, "a \(kind.name) on call 0 from the node")
    }
  }

  private mutating func receive(_ goAway: GoAway) {
    let metadata = goAway.metadata.map { CallMetadata(key: $0.key, value: $0.value) }
    let reason = goAway.text.isEmpty ? "no reason given" : goAway.text
    if goAway.code == StatusCode.ok.rawValue {
      let error = RPCError(.unavailable, "the node takes no new calls: \(reason)", metadata: metadata)
      refusal = error
      for id in calls.keys.sorted() where id > goAway.lastCallID {
        calls.remove(id)
        outbox.drop(id)
        actions.append(.ended(id, error))
      }
    } else {
      let error = RPCError(
        StatusCode(rawValue: goAway.code), "the node closed the connection: \(reason)", metadata: metadata)
      refusal = error
      fail(error)
    }
  }

  private mutating func receive(
    _ message: Message, on id: UInt32, _ chunkLength: Int
  ) throws(ProtocolViolation) -> PayloadAssembly? {
    guard calls[existing: id].assembly == nil else {
      throw ProtocolViolation(
        .invalidArgument, "a Message of call \(id) before the payload of the one before is complete")
    }
    guard chunkLength <= message.payloadLength else {
      throw ProtocolViolation(
        .invalidArgument, "a chunk of \(chunkLength) bytes in a payload of \(message.payloadLength)")
    }
    guard calls[existing: id].receiveCredit > 0 else {
      throw ProtocolViolation(.invalidArgument, "a Message of call \(id) past its credit")
    }
    calls[existing: id].receiveCredit -= 1
    guard message.payloadLength <= configuration.payloadLimit else {
      cancel(
        id,
        RPCError(
          .resourceExhausted,
          "an answer with a payload of \(message.payloadLength) bytes; at most \(configuration.payloadLimit) are taken"
        ))
      return nil
    }
    if message.payloadLength == 0 {
      actions.append(.message(id, RawMessage(body: message.body)))
      return nil
    }
    let assembly = PayloadAssembly(
      callID: id, body: message.body, isLast: message.last, length: Int(message.payloadLength), pool: pool)
    calls[existing: id].assembly = assembly
    return assembly
  }

  private mutating func receive(
    _ chunk: Chunk, on id: UInt32, _ chunkLength: Int
  ) throws(ProtocolViolation) -> PayloadAssembly? {
    guard let assembly = calls[existing: id].assembly else {
      throw ProtocolViolation(.invalidArgument, "a Chunk of call \(id) where no payload is unfinished")
    }
    guard chunkLength <= assembly.remaining else {
      throw ProtocolViolation(
        .invalidArgument,
        "a chunk of \(chunkLength) bytes where \(assembly.remaining) are left of the payload")
    }
    if chunk.abort {
      guard chunkLength == 0 else { throw .strayChunk("Chunk that aborts a payload") }
      calls[existing: id].assembly = nil
      calls[existing: id].receiveCredit += 1
      actions.append(.aborted(id))
      return nil
    }
    return assembly
  }

  package mutating func chunkEnded(_ assembly: PayloadAssembly) {
    let id = assembly.callID
    // The call may have ended while its chunk was on its way.
    guard assembly.remaining == 0, calls.contains(id), calls[existing: id].assembly === assembly
    else { return }
    calls[existing: id].assembly = nil
    actions.append(.message(id, assembly.finish()))
  }

  private mutating func end(_ id: UInt32, _ status: Status) {
    calls.remove(id)
    outbox.drop(id)
    let code = StatusCode(rawValue: status.code)
    actions.append(
      .ended(
        id,
        code == .ok
          ? nil
          : RPCError(
            code, status.text, metadata: status.metadata.map { CallMetadata(key: $0.key, value: $0.value) })))
  }
}
