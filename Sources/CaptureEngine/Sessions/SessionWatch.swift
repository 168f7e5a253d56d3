import CaptureModel

/// The events of a session, for one listener. A slow listener gets the present status in place of all events before it.
public final class SessionWatch: Sendable {
  private let events: WaitingChanges<SessionEvent>
  private let ended: @Sendable (SessionWatch) -> Void
  private static let maximumWaiting = 64

  /// `ended` is called at its end, on any thread.
  init(_ status: SessionStatus, ended: @escaping @Sendable (SessionWatch) -> Void) {
    events = WaitingChanges([SessionEvent(.status, status: status)])
    self.ended = ended
  }

  func notify(_ event: SessionEvent) {
    events.notify { waiting in
      if waiting.count >= Self.maximumWaiting { waiting = [SessionEvent(.status, status: event.status)] }
      waiting.append(event)
    }
  }

  /// Ends the events.
  public func end() {
    events.end()
    ended(self)
  }

  /// The next event; `nil` at the end, or when the task is cancelled. It can have one reader.
  public func next() async -> SessionEvent? { await events.next() }
}
