import Dispatch
import Synchronization

/// Waits, with a time limit, for work that may never end.
package enum Patience {
  /// Runs `body` and waits for its end, but not longer than `limit`. A `body` that takes longer goes on and is not cancelled. Returns whether `body`
  /// ended in time.
  package static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async
    -> Bool
  {
    let first = First<Bool>()
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

  /// Runs `body`, which may block, on a thread of Dispatch's, and waits for its value, but not longer than `limit`. A `body` that takes longer keeps
  /// that thread until it ends, and its value is dropped. Returns `nil` then.
  package static func value<Value: Sendable>(
    atMost limit: Duration, blocking body: @escaping @Sendable () -> Value
  ) async -> Value? {
    let first = First<Value?>()
    return await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
      first.setWaiter(continuation)
      let timer = Task {
        try? await Task.sleep(for: limit)
        first.finish(nil)
      }
      DispatchQueue.global().async {
        first.finish(body())
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
  private final class First<Value: Sendable>: Sendable {
    private let waiter = Mutex<CheckedContinuation<Value, Never>?>(nil)

    func setWaiter(_ continuation: CheckedContinuation<Value, Never>) {
      waiter.withLock { $0 = continuation }
    }
    func finish(_ result: Value) { waiter.withLock { $0.take() }?.resume(returning: result) }
  }
}
