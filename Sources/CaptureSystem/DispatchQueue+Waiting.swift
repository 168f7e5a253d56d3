import Dispatch

extension DispatchQueue {
  /// Waits until what was sent to this serial queue so far has run, but not longer than `limit`. Returns whether it has.
  @discardableResult
  package func hasRun(within limit: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    async { done.signal() }
    return done.wait(timeout: .now() + .nanoseconds(Int(limit / .nanoseconds(1)))) == .success
  }
}
