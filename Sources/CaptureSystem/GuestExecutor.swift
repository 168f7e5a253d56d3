import Dispatch
import Glibc
import Synchronization

/// A serial executor without a queue of its own: an actor on it (`unownedExecutor`) runs where it is called.
///
/// A job that comes from a turn of a connections' loop runs in that turn, behind what is there already, so that a call's way into the actor and out
/// again takes no other thread. What comes from elsewhere runs on Dispatch's threads. Whoever is in runs what comes meanwhile too, all in the order
/// in which it came; never inside of ``enqueue(_:)`` or ``async(_:)``, whose caller may hold a lock.
///
/// Nothing on it may block: a loop's other clients would wait.
public final class GuestExecutor: SerialExecutor {
  private enum Item: Sendable {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
  }
  private struct State {
    var waiting: [Item] = []
    /// Somebody is in.
    var isRunning = false
    /// A thread of Dispatch's is on its way.
    var isDispatched = false
  }
  private let state = Mutex(State())
  /// The thread that is in; 0: none.
  private let thread = Atomic<UInt>(0)
  /// What the lock orders already, said so that the thread sanitizer sees it: it does not see Swift's `Mutex`.
  private let order = Atomic<UInt>(0)

  /// Then the loop goes on with its own.
  private static let itemsPerVisit = 64

  public init() {}

  /// The caller runs on it.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  public func enqueue(_ job: consuming ExecutorJob) { put(.job(UnownedJob(job)), QueueExecutor.host) }

  /// Runs `body` later, behind what came before it.
  public func async(_ body: @escaping @Sendable () -> Void) { put(.block(body), nil) }

  public func checkIsolated() { precondition(isCurrent, "not on the actor's executor") }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  private func put(_ item: Item, _ host: QueueExecutor?) {
    let isAwaited = state.withLock { state in
      state.waiting.append(item)
      order.wrappingAdd(1, ordering: .acquiringAndReleasing)
      if state.isRunning { return true }
      // A host does not wait for Dispatch's thread.
      if host != nil { return false }
      defer { state.isDispatched = true }
      return state.isDispatched
    }
    if isAwaited { return }
    if let host { host.receive(self) } else { dispatch() }
  }

  private func dispatch() {
    DispatchQueue.global(qos: .userInitiated).async {
      self.state.withLock { $0.isDispatched = false }
      self.visit()
    }
  }

  /// Runs what waits, unless somebody does. At the top of a thread's work: not inside of another job.
  func visit() {
    var items: [Item] = []
    guard take(&items, isIn: false) else { return }
    var left = Self.itemsPerVisit
    repeat {
      for item in items { perform(item) }
      left -= items.count
      if left <= 0 { return leave() }
    } while take(&items, isIn: true)
  }

  /// `false`: nothing waits, or somebody else is in; the caller is not.
  private func take(_ items: inout [Item], isIn: Bool) -> Bool {
    items.removeAll(keepingCapacity: true)
    return state.withLock { state in
      guard isIn || !state.isRunning else { return false }
      order.wrappingAdd(1, ordering: .acquiringAndReleasing)
      state.isRunning = !state.waiting.isEmpty
      thread.store(state.isRunning ? UInt(pthread_self()) : 0, ordering: .relaxed)
      swap(&items, &state.waiting)
      return state.isRunning
    }
  }

  /// What is left is for Dispatch.
  private func leave() {
    let isDue = state.withLock { state in
      state.isRunning = false
      order.wrappingAdd(1, ordering: .acquiringAndReleasing)
      thread.store(0, ordering: .relaxed)
      let isDue = !state.waiting.isEmpty && !state.isDispatched
      state.isDispatched = state.isDispatched || isDue
      return isDue
    }
    if isDue { dispatch() }
  }

  private func perform(_ item: Item) {
    switch item {
    // Not with the loop's executor for tasks, which is not preferred by all that come: those would be lost when they leave.
    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    case .block(let body): body()
    }
  }
}
