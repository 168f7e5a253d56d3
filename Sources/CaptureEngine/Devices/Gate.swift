import CaptureModel
import Synchronization

/// Lets in one task at a time, in the order in which they came: starting and stopping a camera takes time, and must not overlap. A debug build traps where
/// a task enters a gate while it holds one of the same kind, or of a later one (``Gate/Kind``).
final class Gate: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets: UInt64 = 0
  }
  private let state = Mutex(State())
  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  /// How many tasks wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for the caller's turn; ``leave()`` gives it to the next task. Throws `cancelled` when the task is cancelled while it waits.
  func enter() async throws(CaptureError) {
    // As a rule no task is inside.
    if !Task.isCancelled, tryEnter() { return }
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let isIn = await withTaskCancellationHandler {
      await wait(ticket, cancellable: true)
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return state.waiting.remove(at: index).continuation
      }
      waiter?.resume(returning: false)
    }
    if !isIn { throw .callCancelled }
    note(isHeld: true)
  }

  /// Enters if no task is inside. Returns `false` if a task is inside, even the caller itself. The order of gates is the same as for ``enter()``.
  func tryEnter() -> Bool {
    requireOrder()
    let isFree = state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
    if isFree { note(isHeld: true) }
    return isFree
  }

  /// Waits for the caller's turn even if the task is cancelled: what was begun has to be undone.
  func enterToCleanUp() async {
    requireOrder()
    _ = await wait(0, cancellable: false)
    note(isHeld: true)
  }

  private func wait(_ ticket: UInt64, cancellable: Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state -> Bool? in
        if cancellable, Task.isCancelled { return false }
        if !state.isTaken {
          state.isTaken = true
          return true
        }
        state.waiting.append((ticket, continuation))
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  func leave() {
    note(isHeld: false)
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
