internal import CaptureWire
import Synchronization

/// Ends the wait of a sequence in a pause, from outside of the task that reads it.
final class PauseBreaker: Sendable {
  private struct State {
    var isBroken = false
    /// Cancels what is waited for now.
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Ends the present wait, and each later one at once, as if the reading task were cancelled.
  func end() {
    let cancel = state.withLock { state in
      state.isBroken = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Waits as `body` does.
  func wait<Result: Sendable>(
    _ body: @escaping @Sendable () async throws(RPCError) -> Result
  ) async throws(RPCError) -> Result {
    let outcome = Task { () async -> Swift.Result<Result, RPCError> in
      do throws(RPCError) { return .success(try await body()) } catch { return .failure(error) }
    }
    let isBroken = state.withLock { state in
      state.cancel = { outcome.cancel() }
      return state.isBroken
    }
    if isBroken { outcome.cancel() }
    let result = await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      outcome.cancel()
    }
    state.withLock { $0.cancel = nil }
    return try result.get()
  }
}
