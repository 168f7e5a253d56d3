internal import CaptureWire
import Synchronization

/// The wait for a lost connection or an unplugged camera. Another task than the one that reads the sequence can end it.
final class RecoveryWait: Sendable {
  private struct State {
    var isEnded = false
    /// Cancels what is waited for now.
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Ends the present wait, and each later one at once, as if the reading task were cancelled.
  func end() {
    let cancel = state.withLock { state in
      state.isEnded = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Runs `body`, which waits. Cancels it when ``end()`` is called or the task is cancelled.
  func wait<Result: Sendable>(
    _ body: @escaping @Sendable () async throws(RPCError) -> Result
  ) async throws(RPCError) -> Result {
    let outcome = Task { () async -> Swift.Result<Result, RPCError> in
      do throws(RPCError) { return .success(try await body()) } catch { return .failure(error) }
    }
    let isEnded = state.withLock { state in
      state.cancel = { outcome.cancel() }
      return state.isEnded
    }
    if isEnded { outcome.cancel() }
    let result = await withTaskCancellationHandler {
      await outcome.value
    } onCancel: {
      outcome.cancel()
    }
    state.withLock { $0.cancel = nil }
    return try result.get()
  }
}
