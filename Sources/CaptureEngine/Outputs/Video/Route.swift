import CaptureLoop
import CaptureModel
import CaptureSystem
import Synchronization

/// The way from a stream to those of its subscribers that share a loop. Each frame takes one hop to the loop, for all these subscribers. If the loop
/// is late, a few frames wait for it. The loop takes one turn for each of them, so that a frame is written before the next one is offered.
final class Route: Sendable {
  private enum Item {
    case picture(Picture)
    case interruption(String)
  }
  private struct State {
    var subscriptions: [FrameSubscription] = []
    var waiting = Backlog<Item>(capacity: 4)
    var isScheduled = false
    var isDelivering = false
  }
  let loop: QueueExecutor
  private let state = Mutex(State())

  init(loop: QueueExecutor) { self.loop = loop }

  /// How many pictures and interruptions the subscribers' sinks have not got yet.
  var underWay: Int { state.withLock { $0.waiting.count + ($0.isDelivering ? 1 : 0) } }

  var isEmpty: Bool { state.withLock { $0.subscriptions.isEmpty } }

  func add(_ subscription: FrameSubscription) {
    state.withLock { $0.subscriptions.append(subscription) }
  }

  /// Removes a subscription. Returns whether it was here.
  func remove(_ subscription: FrameSubscription) -> Bool {
    state.withLock { state in
      guard let index = state.subscriptions.firstIndex(where: { $0 === subscription }) else { return false }
      state.subscriptions.remove(at: index)
      return true
    }
  }

  func post(_ picture: Picture) { post(.picture(picture)) }

  func post(interruption reason: String) { post(.interruption(reason)) }

  private func post(_ item: Item) {
    let (schedules, replaced) = state.withLock { state in
      defer { state.isScheduled = true }
      return (!state.isScheduled, state.waiting.append(item))
    }
    _ = replaced  // Their buffers are given back outside the lock.
    if schedules { loop.async { self.deliver() } }
  }

  private func deliver() {
    let (item, subscriptions, goesOn) = state.withLock { state in
      let item = state.waiting.popFirst()
      state.isScheduled = !state.waiting.isEmpty
      state.isDelivering = true
      return (item, state.subscriptions, state.isScheduled)
    }
    switch item {
    case .picture(let picture): for subscription in subscriptions { subscription.deliver(picture) }
    case .interruption(let reason):
      for subscription in subscriptions { subscription.deliver(interruption: reason) }
    case nil: break
    }
    state.withLock { $0.isDelivering = false }
    if goesOn { loop.async { self.deliver() } }
  }

  /// Makes every subscriber's sink release its pictures.
  func releaseBuffers() {
    let dropped = state.withLock { $0.waiting.removeAll() }
    _ = dropped
    loop.async {
      for subscription in self.state.withLock({ $0.subscriptions }) { subscription.sink.releaseBuffers() }
    }
  }
}
