internal import CaptureModel
internal import CaptureWire
import Synchronization

/// Waits for `body`. A caller that is cancelled waits no longer and gets `cancelled`; `body` then goes on by itself, and `discard` gets the result of
/// `body`.
///
/// For calls that cannot be taken back while they are on their way: a connection that is being made, a lease that may be given any moment.
func abandoningIfCancelled<Result: Sendable>(
  discard: @escaping @Sendable (Result) async -> Void = { _ in },
  _ body: @escaping @Sendable () async throws(RPCError) -> Result
) async throws(RPCError) -> Result {
  let answer = FirstAnswer<Result>()
  Task {
    // If the caller was cancelled before this task began, `body` is not called.
    if answer.isGiven { return }
    let outcome: Swift.Result<Result, RPCError>
    do throws(RPCError) { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    if !answer.give(outcome), case .success(let late) = outcome { await discard(late) }
  }
  return try await withTaskCancellationHandler {
    await answer.wait()
  } onCancel: {
    _ = answer.give(.failure(RPCError(.callCancelled)))
  }.get()
}

/// Takes the first of two answers.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private struct State {
    var outcome: Result<Value, RPCError>?
    var waiter: CheckedContinuation<Result<Value, RPCError>, Never>?
  }
  private let state = Mutex(State())

  var isGiven: Bool { state.withLock { $0.outcome != nil } }

  /// Gives an answer. Returns `false` where there was one already.
  func give(_ outcome: Result<Value, RPCError>) -> Bool {
    let (isFirst, waiter) = state.withLock { state in
      if state.outcome != nil { return (false, nil as CheckedContinuation<Result<Value, RPCError>, Never>?) }
      state.outcome = outcome
      return (true, state.waiter.take())
    }
    waiter?.resume(returning: outcome)
    return isFirst
  }

  func wait() async -> Result<Value, RPCError> {
    await withCheckedContinuation { continuation in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = continuation }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }
}
