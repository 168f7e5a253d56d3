import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// A serial executor without a queue of its own: an actor on it (`unownedExecutor`) runs where it is called.
///
/// A job that comes from a turn of a connections' loop runs in that turn, behind the jobs that are there already. So a call enters the actor and
/// leaves it again without another thread. A job from elsewhere runs on a thread of Dispatch. The thread that runs the executor also runs the jobs
/// that arrive meanwhile, all in the order of their arrival. No job runs inside ``enqueue(_:)`` or ``async(_:)``, since their caller may hold a lock.
///
/// No job here may block: the loop's other clients would wait.
public final class InlineExecutor: SerialExecutor {
  private enum Item: Sendable {
    case job(UnownedJob)
    case block(@Sendable () -> Void)
  }
  private struct State {
    var waiting: [Item] = []
    /// A thread runs jobs now.
    var isRunning = false
    /// A thread of Dispatch was asked for and has not begun yet.
    var isDispatched = false
  }
  private let state = Mutex(State())
  /// The thread that runs jobs now; 0: none.
  private let thread = Atomic<UInt>(0)

  /// How many nanoseconds the jobs of one run may take. Then the loop goes on with its own work, so that its clients do not wait for a crowd's calls
  /// to the actor.
  private static let longestRun: UInt64 = 500_000

  public init() {}

  /// Whether the caller runs on this executor.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  public func enqueue(_ job: consuming ExecutorJob) { put(.job(UnownedJob(job)), QueueExecutor.currentLoop) }

  /// Runs `body` later, behind what came before it.
  public func async(_ body: @escaping @Sendable () -> Void) { put(.block(body), nil) }

  public func checkIsolated() { precondition(isCurrent, "not on the actor's executor") }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  private func put(_ item: Item, _ currentLoop: QueueExecutor?) {
    let willRun = state.withLock { state in
      state.waiting.append(item)
      if state.isRunning { return true }
      // A loop that runs the jobs in its turn does not wait for a thread of Dispatch.
      if currentLoop != nil { return false }
      defer { state.isDispatched = true }
      return state.isDispatched
    }
    if willRun { return }
    if let currentLoop { currentLoop.run(self) } else { dispatch() }
  }

  private func dispatch() {
    DispatchQueue.global(qos: .userInitiated).async {
      self.state.withLock { $0.isDispatched = false }
      self.runWaitingJobs()
    }
  }

  /// Runs the waiting jobs, unless another thread does. Call it at the top of a thread's work, not inside another job.
  func runWaitingJobs() {
    var items: [Item] = []
    guard take(&items, goesOn: false) else { return }
    let began = MonotonicClock.now()
    repeat {
      for (index, item) in items.enumerated() {
        perform(item)
        if MonotonicClock.now() &- began >= Self.longestRun { return leave(items[(index + 1)...]) }
      }
    } while take(&items, goesOn: true)
  }

  /// Takes the waiting jobs. Returns `false` where none waits or another thread runs them; the caller then stops running jobs. `goesOn`: the caller
  /// runs jobs already.
  private func take(_ items: inout [Item], goesOn: Bool) -> Bool {
    items.removeAll(keepingCapacity: true)
    return state.withLock { state in
      guard goesOn || !state.isRunning else { return false }
      state.isRunning = !state.waiting.isEmpty
      thread.store(state.isRunning ? UInt(pthread_self()) : 0, ordering: .relaxed)
      swap(&items, &state.waiting)
      return state.isRunning
    }
  }

  /// Stops running jobs and leaves those that wait to this loop's next round, or to Dispatch. `rest`: the jobs that were taken and did not run.
  private func leave(_ rest: ArraySlice<Item>) {
    let currentLoop = QueueExecutor.currentLoop
    let isDue = state.withLock { state in
      state.waiting.insert(contentsOf: rest, at: 0)
      state.isRunning = false
      thread.store(0, ordering: .relaxed)
      let isDue = !state.waiting.isEmpty && !state.isDispatched
      if currentLoop == nil, isDue { state.isDispatched = true }
      return isDue
    }
    guard isDue else { return }
    if let currentLoop { currentLoop.run(self) } else { dispatch() }
  }

  private func perform(_ item: Item) {
    switch item {
    // A job does not run with the loop's task executor here: the runtime loses a job that runs with a task executor which its task does not prefer.
    case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    case .block(let body): body()
    }
  }
}
