import Synchronization

/// The end of a camera that was unplugged. Any part that notices this calls ``reach()``; only the first of these calls runs the action.
final class CameraEnd: Sendable {
  private struct State {
    var isReached = false
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Runs `action` when the end is reached; at once if it already was.
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

  /// Makes sure that the action does not run any more.
  func cancel() {
    state.withLock { ($0.isCancelled, $0.action) = (true, nil) }
  }
}
