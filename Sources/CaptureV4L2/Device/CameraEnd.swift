import Synchronization

/// The moment at which a camera turns out to be unplugged, whichever part notices it first. Its action runs once.
final class CameraEnd: Sendable {
  private struct State {
    var isReached = false
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  /// Runs `action` at that moment; at once if it has come already.
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
