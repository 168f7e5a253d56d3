import CaptureModel

/// What happens to a session, for one who listens. A slow listener finds the session as it is instead of all that led to it.
public final class SessionWatch: Sendable {
  private let events: WaitingChanges<SessionEvent>
  private let ended: @Sendable (SessionWatch) -> Void
  private static let maximumWaiting = 64

  /// `ended` hears of its end, on any thread.
  init(_ status: SessionStatus, ended: @escaping @Sendable (SessionWatch) -> Void) {
    events = WaitingChanges([SessionEvent(.status, status: status)])
    self.ended = ended
  }

  func tell(_ event: SessionEvent) {
    events.tell { waiting in
      if waiting.count >= Self.maximumWaiting { waiting = [SessionEvent(.status, status: event.status)] }
      waiting.append(event)
    }
  }

  /// No more events.
  public func end() {
    events.end()
    ended(self)
  }

  /// The next event; `nil` at the end or when the task is cancelled. One reader.
  public func next() async -> SessionEvent? { await events.next() }
}
