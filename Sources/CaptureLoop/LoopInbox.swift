import Synchronization

/// The work that other threads send to a loop. It wakes a loop that waits or has left its thread.
final class LoopInbox: Sendable {
  enum Item: Sendable {
    case block(@Sendable () -> Void)
    case job(QueueJob)
  }
  private struct State {
    var items: [Item] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let count = Atomic<Int>(0)
  private let isWaiting = Atomic<Bool>(true)
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Adds an item. Returns `false` where the loop has ended.
  func put(_ item: Item) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.items.append(item)
      count.wrappingAdd(1, ordering: .sequentiallyConsistent)
      return true
    }
    // Only the first item that comes while the loop waits wakes the loop.
    if isAccepted, isWaiting.load(ordering: .sequentiallyConsistent),
      isWaiting.exchange(false, ordering: .sequentiallyConsistent)
    {
      wake()
    }
    return isAccepted
  }

  /// Takes all items, in the order in which they came.
  func take() -> [Item] {
    state.withLock { state in
      count.store(0, ordering: .relaxed)
      var taken: [Item] = []
      swap(&taken, &state.items)
      return taken
    }
  }

  /// Closes the inbox, so that it accepts nothing from here on, and returns the items that are left.
  func close() -> [Item] {
    state.withLock { $0.isClosed = true }
    return take()
  }

  /// Marks the loop as waiting while `wait` runs. An item that is put in after the flag is set wakes the loop; if one was put in before, `mayWait` is
  /// false. On the loop's thread.
  func whileWaiting<R>(_ wait: (_ mayWait: Bool) -> R) -> R {
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    defer { isWaiting.store(false, ordering: .relaxed) }
    return wait(count.load(ordering: .sequentiallyConsistent) == 0)
  }

  /// Marks the loop as present. On the loop's thread.
  func attend() { isWaiting.store(false, ordering: .relaxed) }

  /// Marks the loop as away until it is woken. Returns `false` where it may not leave, since there is an item to take. On the loop's thread.
  func leave() -> Bool {
    isWaiting.store(true, ordering: .sequentiallyConsistent)
    guard count.load(ordering: .sequentiallyConsistent) == 0 else {
      attend()
      return false
    }
    return true
  }
}
