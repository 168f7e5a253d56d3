import CaptureSystem

extension ServerConnectionState {
  /// When ``tick(now:)`` has something to do next, in nanoseconds.
  package var due: UInt64 {
    switch phase {
    case .awaitingHello: openedAt + configuration.helloTimeout
    case .open: min(keepalive.due, nextDeadline)
    case .closing: .max
    }
  }

  /// Checks the deadlines of calls, of the Hello and of the keepalive.
  package mutating func tick(now: UInt64) {
    guard phase != .closing else { return }
    if phase == .awaitingHello {
      // The node's first packet is its answer to the Hello, so it sends no Ping before that.
      guard now >= openedAt + configuration.helloTimeout else { return }
      let seconds = configuration.helloTimeout / 1_000_000_000
      goAway(ProtocolViolation(.deadlineExceeded, "no Hello within \(seconds) s"))
      // The node says nothing to a peer that has said nothing.
      isDead = isSilent
      return
    }
    if now >= nextDeadline { endOverdueCalls(now) }
    switch keepalive.check(now: now, written: outbox.bytesWritten, ahead: outbox.ahead) {
    case .alive: break
    case .ping: outbox.send(Envelope(kind: .ping(Ping(sentNs: now))))
    case .dead: isDead = true
    }
  }

  private mutating func endOverdueCalls(_ now: UInt64) {
    nextDeadline = .max
    for id in calls.keys {
      guard let deadline = calls[existing: id].deadline else { continue }
      if now >= deadline {
        end(
          id, .deadlineExceeded, "the deadline of \(calls[existing: id].method.name) passed on the node",
          .init(.deadlineExceeded))
      } else {
        nextDeadline = min(nextDeadline, deadline)
      }
    }
  }
}
