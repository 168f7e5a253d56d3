import CaptureModel
import CaptureSystem
import Dispatch
import Synchronization

/// Writes down who has called which method, for which camera, and with which outcome.
public final class NodeAudit: Sendable {
  private struct State {
    var trail = AuditTrail()
    var isAwaiting = false
    /// How many lines wait to be written.
    var waiting = 0
    var unwritten = 0
  }
  let extent: AuditExtent
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())
  /// Writes the lines, so that no call waits for a slow log.
  private let queue = DispatchQueue(label: "capture.audit")
  private static let mostWaiting = NodeLimit.auditLines.usual

  public init(_ extent: AuditExtent, write: @escaping @Sendable (String) -> Void) {
    (self.extent, self.write) = (extent, write)
  }

  func note(_ call: AuditedCall) {
    state.withLock { state in
      enqueue(state.trail.note(call, at: MonotonicClock.now()), &state)
      awaitDue(&state)
    }
  }

  /// How many lines wait for the log.
  var waitingLines: Int { state.withLock { $0.waiting } }

  /// Writes the lines of calls that are still counted. Returns once they are written, or after `limit`, since the log may take nothing more.
  public func end(atMost limit: Duration = .seconds(1)) {
    state.withLock { state in
      enqueue(state.trail.end(), &state)
      enqueueOthers(&state)
    }
    queue.hasRun(within: limit)
  }

  private func awaitDue(_ state: inout State) {
    guard !state.isAwaiting, let due = state.trail.due else { return }
    state.isAwaiting = true
    let now = MonotonicClock.now()
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(due > now ? due - now : 0))) {
      self.state.withLock { state in
        state.isAwaiting = false
        self.enqueue(state.trail.flush(at: MonotonicClock.now()), &state)
        self.enqueueOthers(&state)
        self.awaitDue(&state)
      }
    }
  }

  /// Queues lines for the log. They are in the order of the calls, since the caller holds the lock.
  private func enqueue(_ lines: [AuditTrail.Line], _ state: inout State) {
    guard !lines.isEmpty else { return }
    guard state.waiting + lines.count <= Self.mostWaiting else {
      state.unwritten += lines.reduce(0) { $0 + $1.count }
      return
    }
    enqueue(lines.map { $0.count == 1 ? $0.call.text : "\($0.call.text) count=\($0.count)" }, &state)
  }

  private func enqueueOthers(_ state: inout State) {
    state.unwritten += state.trail.takeOthers()
    guard state.unwritten > 0, state.waiting < Self.mostWaiting else { return }
    enqueue(["\(state.unwritten) calls more, of too many kinds to tell them apart"], &state)
    state.unwritten = 0
  }

  private func enqueue(_ texts: [String], _ state: inout State) {
    state.waiting += texts.count
    queue.async {
      for text in texts { self.write(text) }
      self.state.withLock { $0.waiting -= texts.count }
    }
  }
}
