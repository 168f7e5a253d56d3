import Synchronization

/// Takes the first of several answers to a call that may be given up before its own answer comes, and gives it to the task that waits.
package final class FirstAnswer<Value: Sendable, Failure: Error>: Sendable {
  package typealias Outcome = Result<Value, Failure>

  private struct State {
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?
  }
  private let state = Mutex(State())

  package init() {}

  package var isGiven: Bool { state.withLock { $0.outcome != nil } }

  /// Gives an answer. Returns `false` where there was one already.
  @discardableResult
  package func give(_ outcome: Outcome) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
      if state.outcome != nil { return (false, nil) }
      state.outcome = outcome
      return (true, state.waiter.take())
    }
    waiter?.resume(returning: outcome)
    return isFirst
  }

  /// Waits for the first answer, also in a task that is cancelled. Only one task may wait.
  nonisolated(nonsending) package func wait() async -> Outcome {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
