import CaptureModel
import Synchronization

/// Wakes calls that wait for news of what their callers may.
final class AccessNews: Sendable {
  private struct Waiter {
    /// `nil`: no client, of which there is no news.
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

  /// A signal at once, and one with any news of the client, until the node drains. Throws `resourceExhausted`.
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

  /// `client`: of whom there is news; `nil`: of anybody.
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
