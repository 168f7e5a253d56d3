import CaptureSystem

extension ServerConnectionState {
  /// The client takes an answer of this call now: there is credit, and room behind what waits.
  package func canSend(_ id: UInt32) -> Bool {
    guard calls.contains(id) else { return false }
    return (!calls[existing: id].method.serverStreams || calls[existing: id].sendCredit > 0)
      && outbox.hasRoom(id)
  }

  /// The call's credit while nothing of it waits, else 0.
  package func freeCredit(_ id: UInt32) -> Int {
    guard calls.contains(id), outbox.isIdle(id), outbox.controlCount < Outbox.controlTarget else { return 0 }
    return Int(calls[existing: id].sendCredit)
  }

  package func isOpen(_ id: UInt32) -> Bool { calls.contains(id) }

  /// Sends an answer. Only when ``canSend(_:)``.
  /// - Parameter reportedDiscards: of a frame: what its body says; `nil` for answers that are not replaced.
  package mutating func send(
    _ id: UInt32, _ message: RawMessage, reportedDiscards: UInt64? = nil, now: UInt64
  ) throws(RPCError) {
    // protobuf's framing of the fields around the body stays below 64 bytes.
    guard message.body.count + 64 <= outbox.peer.envelope else {
      throw RPCError(
        .resourceExhausted,
        "the answer has \(message.body.count) bytes beside its payload; the client takes \(outbox.peer.envelope) (max_envelope_bytes)"
      )
    }
    if calls[existing: id].method.serverStreams { calls[existing: id].sendCredit -= 1 }
    let payload = message.payload.flatMap { $0.count > 0 ? $0 : nil }
    let envelope = Envelope(
      callID: id,
      kind: .message(Message(body: message.body, payloadLength: UInt64(payload?.count ?? 0))))
    if let payload {
      outbox.send(envelope, payload: payload, reportedDiscards: reportedDiscards, now: now)
    } else {
      outbox.sendInOrder(envelope)
    }
  }

  /// Aborts or withdraws the frame that this call is sending; its credit returns by itself. `false`: it will arrive.
  package mutating func abortFrame(_ id: UInt32) -> Bool {
    guard outbox.abortFrame(of: id) else { return false }
    // Another Credit may have filled it meanwhile.
    if calls.contains(id), calls[existing: id].sendCredit < .max { calls[existing: id].sendCredit += 1 }
    return true
  }

  /// The handler took a message: the client may send another one. Told in batches of half the window.
  package mutating func consumed(_ id: UInt32) {
    guard calls.contains(id), calls[existing: id].method.clientStreams, !calls[existing: id].isHalfClosed
    else { return }
    let owed = calls[existing: id].owedCredit + 1
    guard owed >= max(1, configuration.initialCredit / 2) else {
      calls[existing: id].owedCredit = owed
      return
    }
    calls[existing: id].owedCredit = 0
    calls[existing: id].receiveCredit += owed
    outbox.send(Envelope(callID: id, kind: .credit(Credit(messages: owed))))
  }

  /// The handler returned: with this the call ends, if it has not already.
  package mutating func handlerEnded(_ id: UInt32, _ status: RPCError) {
    runningHandlers -= 1
    guard calls.remove(id) != nil else { return }
    if status.code != .ok { callsFailed += 1 }
    outbox.release(id)
    outbox.sendInOrder(statusEnvelope(id, status))
  }

  /// Ends an open call from this side: what waits is dropped, its handler is told to stop.
  mutating func end(_ id: UInt32, _ code: StatusCode, _ text: String) {
    fail(id, RPCError(code, text))
  }

  /// Ends an open call while its handler runs; the handler counts until it returns.
  package mutating func fail(_ id: UInt32, _ error: RPCError) {
    guard let call = calls.remove(id) else { return }
    outbox.drop(id)
    callsFailed += 1
    outbox.send(statusEnvelope(id, error))
    if call.isStarted { actions.append(.stop(id)) } else { unstartedCalls -= 1 }
  }

  /// Answers a packet that opens no call.
  mutating func refuse(_ id: UInt32, _ code: StatusCode, _ text: String) {
    // A number that was not taken is no call.
    if id == lastCallID { callsFailed += 1 }
    outbox.send(statusEnvelope(id, RPCError(code, text)))
  }

  private func statusEnvelope(_ id: UInt32, _ status: RPCError) -> Envelope {
    if status.text.isEmpty, status.metadata.isEmpty {
      return Envelope(callID: id, kind: .status(Status(code: status.code.rawValue)))
    }
    var status = status
    // A status that does not fit the client's limit would break the connection.
    let room = outbox.peer.envelope - 256
    if status.metadata.reduce(0, { $0 + $1.key.utf8.count + $1.value.count + 16 }) > room / 2 {
      status.metadata = []
    }
    if status.text.utf8.count > room / 2 {
      status.text = String(decoding: status.text.utf8.prefix(room / 2), as: UTF8.self)
    }
    return Envelope(
      callID: id,
      kind: .status(
        Status(
          code: status.code.rawValue, text: status.text,
          metadata: status.metadata.map { Metadata(key: $0.key, value: $0.value) })))
  }
}
