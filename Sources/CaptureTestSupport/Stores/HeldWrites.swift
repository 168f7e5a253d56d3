import CaptureModel
import Synchronization

/// Lets a test say when each write of its store ends, and whether it fails.
package final class HeldWrites: Sendable {
  private struct State {
    var isHolding = false
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }
  private let state = Mutex(State())

  package init() {}

  /// From now on each write waits for ``endFirst(fails:)``.
  package func hold() { state.withLock { $0.isHolding = true } }

  /// How many writes wait.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Ends the write that has waited longest. `fails`: whether it fails, as on a full disk.
  package func endFirst(fails: Bool) {
    let first = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    first?.resume(returning: !fails)
  }

  /// Makes a write of the store. Throws `unavailable` if the test lets it fail.
  package func write() async throws(CaptureError) {
    let isWritten = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      let waits = state.withLock { state in
        if state.isHolding { state.waiting.append(continuation) }
        return state.isHolding
      }
      if !waits { continuation.resume(returning: true) }
    }
    if !isWritten { throw CaptureError(.unavailable, "the disk is full", .init(.diskFull)) }
  }
}
