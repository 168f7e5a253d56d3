import CaptureModel
import CaptureSystem

extension ServerConnectionState {
  /// Whether the client accepts an answer of this call now: there is credit, and room in the outbox.
  package func canSend(_ id: UInt32) -> Bool {
    guard calls.contains(id) else { return false }
    return (!calls[existing: id].method.serverStreams || calls[existing: id].sendCredit > 0)
      && outbox.hasRoom(id)
  }

  /// The call's credit while the outbox has nothing of the call; otherwise 0. Other calls do not matter: nothing tells a call that their answers are
  /// written.
  package func freeCredit(_ id: UInt32) -> Int {
    guard calls.contains(id), outbox.isIdle(id) else { return 0 }
    return Int(calls[existing: id].sendCredit)
  }

  /// Sends an answer. Only when ``canSend(_:)`` is true.
  /// - Parameter reportedDiscards: for a frame, the discards that its body reports; `nil` for answers that newer ones do not replace.
  package mutating func send(
    _ id: UInt32, _ message: RawMessage, reportedDiscards: UInt64? = nil
  ) throws(RPCError) {
    let payload = message.payload.flatMap { $0.count > 0 ? $0 : nil }
    var envelope: Envelope {
      Envelope(
        callID: id,
        kind: .message(Message(body: message.body, payloadLength: UInt64(payload?.count ?? 0))))
    }
    let excess = excess(of: envelope, around: message.body.count)
    guard excess <= 0 else {
      throw RPCError(
        .resourceExhausted,
        "an answer of \(outbox.peer.envelope + excess) bytes beside its payload; the client takes \(outbox.peer.envelope) (max_envelope_bytes)",
        .init(.limitReached, limit: "max_envelope_bytes", bound: UInt64(outbox.peer.envelope))
      )
    }
    if calls[existing: id].method.serverStreams { calls[existing: id].sendCredit -= 1 }
    if let payload {
      outbox.send(id, body: message.body, payload: payload, reportedDiscards: reportedDiscards)
    } else {
      outbox.sendInOrder(envelope)
    }
  }

  /// Aborts or withdraws the frame that this call is sending; its credit comes back. Returns `false` where the frame will arrive.
  package mutating func abortFrame(_ id: UInt32) -> Bool {
    guard outbox.abortFrame(of: id) else { return false }
    // A Credit of the client may have raised the call's credit to its maximum meanwhile.
    if calls.contains(id), calls[existing: id].sendCredit < .max { calls[existing: id].sendCredit += 1 }
    return true
  }

  /// Notes that the handler took a message, so the client may send another one. The client is told in batches of half the window.
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

  /// Notes that the handler returned. This ends the call, if it has not ended yet.
  package mutating func handlerEnded(_ id: UInt32, _ status: RPCError) {
    runningHandlers -= 1
    guard calls.remove(id) != nil else { return }
    countEnd(status.code)
    outbox.release(id)
    outbox.sendInOrder(statusEnvelope(id, status))
  }

  /// Ends an open call from this side: it drops what waits, and tells the handler to stop.
  mutating func end(
    _ id: UInt32, _ code: StatusCode, _ text: String, _ details: CaptureError.Details? = nil
  ) {
    fail(id, RPCError(code, text, details))
  }

  /// Ends an open call with this error. Its handler, if it has begun, counts until it returns.
  package mutating func fail(_ id: UInt32, _ error: RPCError) {
    guard let call = calls.remove(id) else { return }
    outbox.drop(id)
    countEnd(error.code)
    outbox.send(statusEnvelope(id, error))
    if call.isStarted { actions.append(.stop(id)) } else { unstartedCalls -= 1 }
  }

  /// Answers a packet that opens no call.
  mutating func refuse(
    _ id: UInt32, _ code: StatusCode, _ text: String, _ details: CaptureError.Details? = nil
  ) {
    outbox.send(statusEnvelope(id, RPCError(code, text, details)))
  }

  /// Refuses a call that ``callsTotal`` has and that does not begin.
  mutating func refuseCall(
    _ id: UInt32, _ code: StatusCode, _ text: String, _ details: CaptureError.Details? = nil
  ) {
    countEnd(code)
    refuse(id, code, text, details)
  }

  /// Counts the end of a call that ``callsTotal`` has. A call that was cancelled has not failed.
  private mutating func countEnd(_ code: StatusCode) {
    if code != .ok, code != .cancelled { callsFailed += 1 }
  }

  /// A status that exceeds the client's limit would break the connection. So it is sent without metadata, and if that is not enough, with a shorter
  /// text.
  private func statusEnvelope(_ id: UInt32, _ error: RPCError) -> Envelope {
    var status = Status(
      code: error.code.rawValue, text: error.text,
      metadata: error.metadata.map { Metadata(key: $0.key, value: $0.value) })
    var envelope: Envelope { Envelope(callID: id, kind: .status(status)) }
    let lengths = status.metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 16 }
    if excess(of: envelope, around: status.text.utf8.count + lengths) > 0 { status.metadata = [] }
    let excess = excess(of: envelope, around: status.text.utf8.count)
    if excess > 0 { status.text = status.text.beginning(of: status.text.utf8.count - excess) }
    return envelope
  }

  /// By how many bytes an envelope exceeds what the client accepts; 0 or less: it fits.
  /// - Parameter length: the length of the envelope's long fields. The framing around them stays below 64 bytes, so only an envelope near the limit
  ///   is measured.
  private func excess(of envelope: @autoclosure () -> Envelope, around length: Int) -> Int {
    let limit = outbox.peer.envelope
    return length + 64 <= limit ? 0 : envelope().encodedSize - limit
  }
}

extension String {
  /// The first `count` bytes of the UTF-8 text, or up to three fewer, so that no character is cut.
  fileprivate func beginning(of count: Int) -> String {
    var end = utf8.index(startIndex, offsetBy: count)
    while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
    return String(self[..<end])
  }
}
