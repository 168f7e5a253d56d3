import Dispatch

/// Waits, with a time limit, for work that may never end.
package enum Patience {
  /// Runs `body` and waits for its end, but not longer than `limit`. A `body` that takes longer goes on and is not cancelled. Returns whether `body`
  /// ended in time.
  package static func wait(atMost limit: Duration, for body: @escaping @Sendable () async -> Void) async
    -> Bool
  {
    let isInTime = FirstAnswer<Bool, Never>()
    let timer = Task {
      try? await Task.sleep(for: limit)
      isInTime.give(.success(false))
    }
    Task {
      await body()
      isInTime.give(.success(true))
      timer.cancel()
    }
    return await isInTime.wait().get()
  }

  /// Runs `body`, which may block, on a thread of Dispatch's, and waits for its value, but not longer than `limit`. A `body` that takes longer keeps
  /// that thread until it ends, and its value is dropped. Returns `nil` then.
  package static func value<Value: Sendable>(
    atMost limit: Duration, blocking body: @escaping @Sendable () -> Value
  ) async -> Value? {
    let value = FirstAnswer<Value?, Never>()
    let timer = Task {
      try? await Task.sleep(for: limit)
      value.give(.success(nil))
    }
    DispatchQueue.global().async {
      value.give(.success(body()))
      timer.cancel()
    }
    return await value.wait().get()
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
}
