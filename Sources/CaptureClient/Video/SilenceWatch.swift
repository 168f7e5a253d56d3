import CaptureSystem
import CaptureWire
import Synchronization

/// Cancels a call whose reader has waited too long. Time that the reader spends elsewhere does not count.
final class SilenceWatch: Sendable {
  private struct State {
    /// When the reader began to wait; `nil`: it does not.
    var waitingSince: UInt64?
    var hasExpired = false
  }

  private let state = Mutex(State())
  private let limit: Duration
  private let task: Mutex<Task<Void, Never>?>

  init(_ limit: Duration, cancelling call: any RawClientCall) {
    self.limit = limit
    task = Mutex(nil)
    let watching = Task { [weak self, weak call] in
      var pause = limit
      while (try? await Task.sleep(for: pause)) != nil, let self, let call {
        guard let rest = self.rest() else { return call.cancel() }
        pause = rest
      }
    }
    task.withLock { $0 = watching }
  }

  deinit { task.withLock { $0 }?.cancel() }

  func beginWaiting() { state.withLock { $0.waitingSince = MonotonicClock.now() } }
  func endWaiting() { state.withLock { $0.waitingSince = nil } }

  /// What the reader gets instead of the cancellation that this watch caused.
  var failure: RPCError? {
    guard state.withLock(\.hasExpired) else { return nil }
    return RPCError(.deadlineExceeded, "no frame came within \(limit)")
  }

  /// How long until it may expire; `nil`: it has.
  private func rest() -> Duration? {
    state.withLock { state in
      guard let since = state.waitingSince else { return limit }
      let waited = Duration.nanoseconds(MonotonicClock.now() &- since)
      if waited < limit { return max(limit - waited, .milliseconds(1)) }
      state.hasExpired = true
      return nil
    }
  }
}
