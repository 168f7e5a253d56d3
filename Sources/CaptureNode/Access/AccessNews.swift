import CaptureModel
import Synchronization

/// Wakes the calls that wait until their caller's rights or requests change.
final class AccessNews: Sendable {
  private struct Waiter {
    /// `nil`: the caller is no client, and its rights never change.
    let client: String?
    let continuation: AsyncStream<Void>.Continuation
  }
  private struct State {
    var waiters: [UInt64: Waiter] = [:]
    var next: UInt64 = 0
    var hasEnded = false
  }
  private let state = Mutex(State())

  static let most = NodeLimit.accessWatches.usual

  /// Gives a signal at once, and another one each time that the client's rights or request may have changed, until the node drains. Throws `resourceExhausted`.
  func signals(of client: String?) throws(CaptureError) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let number = try state.withLock { state throws(CaptureError) in
      guard !state.hasEnded else { throw .nodeDraining }
      guard state.waiters.count < Self.most else {
        throw NodeLimit.accessWatches.exceeded("\(Self.most) calls wait for news of access already")
      }
      state.next += 1
      state.waiters[state.next] = Waiter(client: client, continuation: continuation)
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.waiters[number] = nil } }
    return stream
  }

  /// `client`: whose rights or request may have changed; `nil`: anybody's.
  func tell(of client: String? = nil) {
    let waiters = state.withLock { $0.waiters.values.filter { client == nil || $0.client == client } }
    for waiter in waiters { waiter.continuation.yield() }
  }

  /// The node drains.
  func end() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.continuation.finish() }
  }
}
