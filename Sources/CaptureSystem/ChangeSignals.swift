import Synchronization

/// Wakes those who wait for changes of a `Subject`. A slow reader gets one signal for all changes that it has missed.
package final class ChangeSignals<Subject: Sendable>: Sendable {
  private struct Watcher {
    let subject: Subject
    let continuation: AsyncStream<Void>.Continuation
  }
  private struct State {
    var watchers: [UInt64: Watcher] = [:]
    var next: UInt64 = 0
    var hasEnded = false
  }
  private let state = Mutex(State())

  package init() {}

  /// Returns a stream that signals at once, and again after changes of `subject`, until ``end()``. Returns `nil` if `limit` streams are read already,
  /// whatever their subjects.
  package func signals(of subject: Subject, atMost limit: Int) -> AsyncStream<Void>? {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: UInt64? = state.withLock { state in
      guard !state.hasEnded else { return 0 }
      guard state.watchers.count < limit else { return nil }
      state.next += 1
      state.watchers[state.next] = Watcher(subject: subject, continuation: continuation)
      return state.next
    }
    switch number {
    case nil: return nil
    case 0: continuation.finish()
    case let number?:
      continuation.yield()
      continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.watchers[number] = nil } }
    }
    return stream
  }

  /// Signals to those whose subject `isConcerned` accepts.
  package func signal(where isConcerned: (Subject) -> Bool = { _ in true }) {
    // The lock is released before this yields, since a watcher that ends takes it.
    let watchers = state.withLock { Array($0.watchers.values) }
    for watcher in watchers where isConcerned(watcher.subject) { watcher.continuation.yield() }
  }

  /// Ends all streams, also those that are asked for later.
  package func end() {
    let watchers = state.withLock { state in
      state.hasEnded = true
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.continuation.finish() }
  }
}
