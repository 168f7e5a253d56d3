internal import CaptureSystem
internal import CaptureWire
import Synchronization

/// Measures how long a reader has waited. Time that the reader spends elsewhere does not count.
struct Silence {
  private let limit: Duration
  /// When the reader began to wait; `nil`: it does not wait.
  private var waitingSince: UInt64?
  private(set) var hasExpired = false

  init(limit: Duration) { self.limit = limit }

  /// `now`: `CLOCK_MONOTONIC` nanoseconds.
  mutating func beginWaiting(now: UInt64) { waitingSince = now }
  mutating func endWaiting() { waitingSince = nil }
  /// The same as ``beginWaiting(now:)``, unless the reader waits already.
  mutating func goOnWaiting(now: UInt64) { waitingSince = waitingSince ?? now }

  /// How long until the wait may expire; `nil`: it has expired.
  mutating func rest(now: UInt64) -> Duration? {
    guard let waitingSince else { return limit }
    let waited = Duration.nanoseconds(now &- waitingSince)
    if waited < limit { return max(limit - waited, .milliseconds(1)) }
    hasExpired = true
    return nil
  }
}

/// Cancels a call whose reader has waited too long.
final class SilenceWatch: Sendable {
  private let state: Mutex<Silence>
  private let limit: Duration
  private let task: Mutex<Task<Void, Never>?>

  init(_ limit: Duration, cancelling call: any RawClientCall) {
    self.limit = limit
    state = Mutex(Silence(limit: limit))
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

  func beginWaiting() { state.withLock { $0.beginWaiting(now: MonotonicClock.now()) } }
  func endWaiting() { state.withLock { $0.endWaiting() } }
  func goOnWaiting() { state.withLock { $0.goOnWaiting(now: MonotonicClock.now()) } }

  private func rest() -> Duration? { state.withLock { $0.rest(now: MonotonicClock.now()) } }

  /// The error for the reader, in place of the cancellation that this watch caused.
  var failure: RPCError? {
    guard state.withLock(\.hasExpired) else { return nil }
    return RPCError(.deadlineExceeded, "no frame came within \(limit)")
  }
}
