import CaptureModel
import Synchronization

/// Lets in one task at a time, in the order in which they came: starting and stopping a camera takes time, and must not overlap. A gate can have
/// several places, for as many tasks. A debug build traps where a task enters a gate while it holds one of the same kind, or of a later one
/// (``Gate/Kind``).
package final class Gate: Sendable {
  fileprivate struct State {
    var inside = 0
    var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets: UInt64 = 0
  }
  private let state = Mutex(State())
  let kind: Kind
  private let places: @Sendable () -> Int

  /// `places`: how many tasks may be inside now, at least one. If there are more places later, tasks that wait come in when another task leaves.
  package init(_ kind: Kind, places: @escaping @Sendable () -> Int = { 1 }) {
    (self.kind, self.places) = (kind, places)
  }

  /// How many tasks wait.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for the caller's turn; ``leave()`` gives it to the next task. Throws `cancelled` when the task is cancelled while it waits.
  package func enter() async throws(CaptureError) {
    // As a rule there is a place.
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

  /// Enters if there is a place. Returns `false` if other tasks wait, or if all places are taken, even by the caller itself. The order of gates is
  /// the same as for ``enter()``.
  func tryEnter() -> Bool {
    requireOrder()
    let places = places()
    let isFree = state.withLock { $0.takePlace(of: places) }
    if isFree { note(isHeld: true) }
    return isFree
  }

  /// Waits for the caller's turn even if the task is cancelled: what was begun has to be undone.
  package func enterToCleanUp() async {
    requireOrder()
    _ = await wait(0, cancellable: false)
    note(isHeld: true)
  }

  private func wait(_ ticket: UInt64, cancellable: Bool) async -> Bool {
    let places = places()
    return await withCheckedContinuation { continuation in
      let result = state.withLock { state -> Bool? in
        if cancellable, Task.isCancelled { return false }
        if state.takePlace(of: places) { return true }
        state.waiting.append((ticket, continuation))
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  package func leave() {
    note(isHeld: false)
    let places = places()
    let next = state.withLock { state in
      state.inside -= 1
      let next = state.waiting.prefix(max(places - state.inside, 0)).map(\.continuation)
      state.waiting.removeFirst(next.count)
      state.inside += next.count
      return next
    }
    for continuation in next { continuation.resume(returning: true) }
  }
}

extension Gate.State {
  /// Takes a place if one is free and nobody waits. Returns whether it took one.
  fileprivate mutating func takePlace(of places: Int) -> Bool {
    guard waiting.isEmpty, inside < places else { return false }
    inside += 1
    return true
  }
}
