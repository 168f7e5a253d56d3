import CaptureModel
import Synchronization

/// An end that tasks can wait for. It comes once, from any thread, with or without a reason.
final class Ending: Sendable {
  private enum State {
    case open([UInt64: CheckedContinuation<Void, Never>])
    case ended(CaptureError?)
  }
  private let state = Mutex(State.open([:]))
  private let tickets = Atomic<UInt64>(0)

  /// How many tasks wait.
  var waitingCount: Int {
    if case .open(let waiting) = state.withLock({ $0 }) { waiting.count } else { 0 }
  }

  /// Brings the end. `error`: the reason; `nil`: none. Only the first call counts.
  func end(_ error: CaptureError?) {
    let waiting = state.withLock { state -> [UInt64: CheckedContinuation<Void, Never>] in
      guard case .open(let waiting) = state else { return [:] }
      state = .ended(error)
      return waiting
    }
    for waiter in waiting.values { waiter.resume() }
  }

  /// Returns at the end, or when the task is cancelled; throws the reason of the end.
  func wait() async throws(CaptureError) {
    let ticket = tickets.add(1, ordering: .relaxed).newValue
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state -> Bool in
          guard case .open(var waiting) = state, !Task.isCancelled else { return true }
          waiting[ticket] = continuation
          state = .open(waiting)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard case .open(var waiting) = state else { return nil }
        let waiter = waiting.removeValue(forKey: ticket)
        state = .open(waiting)
        return waiter
      }
      waiter?.resume()
    }
    if case .ended(let error?) = state.withLock({ $0 }) { throw error }
  }
}
