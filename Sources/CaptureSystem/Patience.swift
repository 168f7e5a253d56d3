import Synchronization

/// Waits, with a time limit, for work that may never end.
package enum Patience {
  /// Runs `body` and waits for its end, but not longer than `limit`. A `body` that takes longer goes on and is not cancelled. Returns whether `body`
  /// ended in time.
  package static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async
    -> Bool
  {
    let first = First()
    return await withCheckedContinuation { continuation in
      first.setWaiter(continuation)
      let timer = Task {
        try? await Task.sleep(for: limit)
        first.finish(false)
      }
      Task {
        await body()
        first.finish(true)
        timer.cancel()
      }
    }
  }

  /// Runs `body` in the caller's task, so a cancellation reaches it. If `body` has not ended after `limit`, this calls `expire` once, on any thread;
  /// `expire` has to make `body` end.
  nonisolated(nonsending) package static func run<Result, Failure>(
    atMost limit: Duration, expire: @escaping @Sendable () -> Void,
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let timer = Task {
      try await Task.sleep(for: limit)
      expire()
    }
    defer { timer.cancel() }
    return try await body()
  }

  /// Lets the first of two events win.
  private final class First: Sendable {
    private let waiter = Mutex<CheckedContinuation<Bool, Never>?>(nil)

    func setWaiter(_ continuation: CheckedContinuation<Bool, Never>) { waiter.withLock { $0 = continuation } }
    func finish(_ result: Bool) { waiter.withLock { $0.take() }?.resume(returning: result) }
  }
}
