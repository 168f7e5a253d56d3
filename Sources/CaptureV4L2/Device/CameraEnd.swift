import Synchronization

/// The moment when a camera turns out to be unplugged, whoever notices first; its action runs once.
final class CameraEnd: Sendable {
  private struct State {
    var isReached = false
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Runs `action` then; at once where it was reached already.
  func onReached(_ action: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      if !state.isReached { state.action = action }
      return state.isReached && !state.isCancelled
    }
    if isDue { action() }
  }

  func reach() {
    let action = state.withLock { state in
      defer { (state.isReached, state.action) = (true, nil) }
      return state.action
    }
    action?()
  }

  /// The action will not run any more.
  func cancel() {
    state.withLock { ($0.isCancelled, $0.action) = (true, nil) }
  }
}
