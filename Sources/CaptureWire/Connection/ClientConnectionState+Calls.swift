import CaptureSystem

extension ClientConnectionState {
  /// Whether the node accepts a message of this call now.
  package func canSend(_ id: UInt32) -> Bool {
    calls.contains(id) && calls[existing: id].sendCredit > 0 && outbox.hasRoom(id)
  }

  /// Sends a message of a client stream. Only when ``canSend(_:)`` is true.
  package mutating func send(_ id: UInt32, _ message: RawMessage) throws(RPCError) {
    guard calls.contains(id), !calls[existing: id].isHalfClosed else {
      throw RPCError(.failedPrecondition, "this side of the call has sent its last message")
    }
    try checkSize(message.body.count + 64)
    calls[existing: id].sendCredit -= 1
    calls[existing: id].sentMessages += 1
    let payload = message.payload.flatMap { $0.count > 0 ? $0 : nil }
    if let payload {
      outbox.send(id, body: message.body, payload: payload)
    } else {
      outbox.sendInOrder(Envelope(callID: id, kind: .message(Message(body: message.body))))
    }
  }

  /// Tells the node that no more messages of this call come.
  package mutating func finishSending(_ id: UInt32) {
    guard calls.contains(id), !calls[existing: id].isHalfClosed else { return }
    calls[existing: id].isHalfClosed = true
    outbox.sendInOrder(Envelope(callID: id, kind: .message(Message(last: true, noMessage: true))))
  }

  /// Ends the call early, with this error.
  package mutating func cancel(_ id: UInt32, _ error: RPCError) {
    guard calls.remove(id) != nil else { return }
    outbox.drop(id)
    outbox.send(Envelope(callID: id, kind: .cancel(Cancel())))
    actions.append(.ended(id, error))
  }

  /// Notes that the reader took a message, so the node may send another one. The node is told in batches of half the window.
  package mutating func consumed(_ id: UInt32) {
    guard calls.contains(id), calls[existing: id].method.serverStreams else { return }
    let owed = calls[existing: id].owedCredit + 1
    guard owed >= max(1, calls[existing: id].window / 2) else {
      calls[existing: id].owedCredit = owed
      return
    }
    calls[existing: id].owedCredit = 0
    calls[existing: id].receiveCredit += owed
    outbox.send(Envelope(callID: id, kind: .credit(Credit(messages: owed))))
  }

  /// Sends a Ping with this time.
  package mutating func ping(now: UInt64) {
    outbox.send(Envelope(kind: .ping(Ping(sentNs: now))))
  }

  /// When ``tick(now:)`` has something to do next, in nanoseconds.
  package var due: UInt64 { min(keepalive.due, nextDeadline) }

  /// Checks deadlines and the keepalive.
  package mutating func tick(now: UInt64) {
    guard failure == nil else { return }
    if now >= nextDeadline { cancelOverdueCalls(now) }
    switch keepalive.check(now: now, written: outbox.bytesWritten, ahead: outbox.ahead) {
    case .alive: break
    case .ping: ping(now: now)
    case .dead:
      let seconds = keepalive.silence(now: now) / 1_000_000_000
      fail(RPCError(.unavailable, "the node has been silent for \(seconds) s; the connection is given up"))
    }
  }

  private mutating func cancelOverdueCalls(_ now: UInt64) {
    nextDeadline = .max
    for id in calls.keys {
      guard let deadline = calls[existing: id].deadline else { continue }
      if now >= deadline {
        let timeout = calls[existing: id].timeout ?? .zero
        cancel(id, RPCError(.deadlineExceeded, "the node did not answer within \(timeout.shortText)"))
      } else {
        nextDeadline = min(nextDeadline, deadline)
      }
    }
  }
}
