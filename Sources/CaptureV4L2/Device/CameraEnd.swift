import Synchronization

/// The moment when a camera turns out to be unplugged, whoever notices first; its action runs once.
final class CameraEnd: Sendable {
  private struct State {
    var isOver = false
    var action: (@Sendable () async -> Void)?
  }
  private let state = Mutex(State())

  func onReached(_ action: @escaping @Sendable () async -> Void) {
    state.withLock { $0.action = action }
  }

  func reach() {
    let action = state.withLock { state in
      defer { (state.isOver, state.action) = (true, nil) }
      return state.isOver ? nil : state.action
    }
    if let action { Task { await action() } }
  }

  /// The action will not run any more.
  func cancel() {
    state.withLock { ($0.isOver, $0.action) = (true, nil) }
  }
}
