import Synchronization

/// Changes that one reader has not read yet. The caller that adds one decides which of the waiting ones it makes needless, so that nothing grows with a
/// slow reader.
final class WaitingChanges<Change: Sendable>: Sendable {
  private struct State {
    var waiting: [Change]
    var reader: CheckedContinuation<Void, Never>?
    var isOver = false
  }
  private let state: Mutex<State>

  /// `changes` wait from the beginning.
  init(_ changes: [Change] = []) { state = Mutex(State(waiting: changes)) }

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Changes the list of waiting changes: adds some, and removes those that this makes needless.
  func notify(_ change: (inout [Change]) -> Void) { wake { change(&$0.waiting) } }

  /// Ends the changes.
  func end() { wake { $0.isOver = true } }

  /// The next change; `nil` at the end, or when the task is cancelled. It can have one reader.
  func next() async -> Change? {
    while true {
      let (change, isOver) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isOver)
      }
      if let change { return change }
      if isOver || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state -> Bool in
            if !state.waiting.isEmpty || state.isOver || Task.isCancelled { return true }
            state.reader = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        wake { _ in }
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let reader = state.withLock { state in
      change(&state)
      return state.reader.take()
    }
    reader?.resume()
  }
}
