import Synchronization

/// What other threads send to a loop, which is woken when it rests or is away.
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
  private let isResting = Atomic<Bool>(true)
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// `false`: the loop has ended.
  func put(_ item: Item) -> Bool {
    let isTaken = state.withLock { state in
      guard !state.isClosed else { return false }
      state.items.append(item)
      count.wrappingAdd(1, ordering: .sequentiallyConsistent)
      return true
    }
    // One ring a rest, from whoever comes first.
    if isTaken, isResting.load(ordering: .sequentiallyConsistent),
      isResting.exchange(false, ordering: .sequentiallyConsistent)
    {
      wake()
    }
    return isTaken
  }

  /// In the order in which they came.
  func take() -> [Item] {
    state.withLock { state in
      // Acquires what was put, which the lock does too: the thread sanitizer does not see that.
      _ = count.exchange(0, ordering: .acquiring)
      var taken: [Item] = []
      swap(&taken, &state.items)
      return taken
    }
  }

  /// Nothing is taken from here on; what is left is returned.
  func close() -> [Item] {
    state.withLock { $0.isClosed = true }
    return take()
  }

  /// On the loop's thread. Whoever puts something in after the flag is set rings; whoever did before is seen.
  func rest<R>(_ wait: (_ mayWait: Bool) -> R) -> R {
    isResting.store(true, ordering: .sequentiallyConsistent)
    defer { isResting.store(false, ordering: .relaxed) }
    return wait(count.load(ordering: .sequentiallyConsistent) == 0)
  }

  /// On the loop's thread: it is here.
  func attend() { isResting.store(false, ordering: .relaxed) }

  /// On the loop's thread: it goes, until it is woken. `false`: it may not, for there is something to take.
  func leave() -> Bool {
    isResting.store(true, ordering: .sequentiallyConsistent)
    guard count.load(ordering: .sequentiallyConsistent) == 0 else {
      attend()
      return false
    }
    return true
  }
}
