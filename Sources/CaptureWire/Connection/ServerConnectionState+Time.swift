import CaptureSystem

extension ServerConnectionState {
  /// When ``tick(now:)`` has something to do next, nanoseconds.
  package var due: UInt64 {
    guard phase != .closing else { return .max }
    var due = keepalive.due
    if phase == .awaitingHello { due = min(due, openedAt + configuration.helloTimeout) }
    for call in calls.values {
      if let deadline = call.deadline { due = min(due, deadline) }
    }
    return due
  }

  /// Deadlines, the Hello's and the keepalive's.
  package mutating func tick(now: UInt64) {
    guard phase != .closing else { return }
    if phase == .awaitingHello, now >= openedAt + configuration.helloTimeout {
      let seconds = configuration.helloTimeout / 1_000_000_000
      goAway(ProtocolViolation(.deadlineExceeded, "no Hello within \(seconds) s"))
      // To a peer that says nothing, nothing is said.
      isDead = isSilent
      return
    }
    for (id, call) in calls where call.deadline.map({ now >= $0 }) ?? false {
      end(id, .deadlineExceeded, "the deadline of \(call.method.name) passed on the node")
    }
    switch keepalive.check(now: now) {
    case .alive: break
    case .ping: outbox.send(Envelope(kind: .ping(Ping(sentNs: now))))
    case .dead: isDead = true
    }
  }
}
