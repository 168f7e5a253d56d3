import Dispatch
import Glibc
import Synchronization

/// A serial Dispatch queue as an actor's executor (`unownedExecutor`). Tasks that are to run on the same queue prefer a
/// ``QueueTaskExecutor`` of it.
///
/// Event handlers of Dispatch sources on `queue` run in a turn (``run(_:)``) and enter an actor that lives on it with
/// `assumeIsolated`. Jobs that a turn brings about for the same queue are run at its end, without a way through Dispatch.
///
/// Unchecked: `jobs` and `endings` are touched only by the thread that is in a turn, which is on the serial queue.
public final class QueueExecutor: SerialExecutor, @unchecked Sendable {
  /// The serial queue.
  public let queue: DispatchQueue
  private let mark: DispatchSpecificKey<Bool>

  /// The thread that is in a turn; 0: none.
  private let turnThread = Atomic<UInt>(0)
  private var jobs: [QueueJob] = []
  private var endings: [any TurnParticipant] = []
  /// Blocks of ``async(_:)`` that have not begun.
  private let waiting = Atomic<Int>(0)
  private let isIdling = Atomic<Bool>(false)
  private let wake: (@Sendable () -> Void)?

  /// Rounds of jobs and endings in one turn; then whatever else waits in the queue has its turn.
  private static let roundsPerTurn = 16
  private static let jobsPerRound = 256

  /// Where a queue's work runs.
  public enum Threads: Sendable {
    /// On as many threads as there are processors, with others: for short turns that never block.
    case shared
    /// On a thread that it gets when it needs one: for what may block, or works for long.
    case own
  }

  /// On Linux a quality of service gives no precedence; it is where Dispatch pools threads. A queue with a thread of its own makes
  /// Dispatch start one whenever none waits just then: many of them, or one that is busy by fits and starts, gather dozens of threads.
  ///
  /// - Parameter wake: ends what ``idle(_:)`` waits for. Called on any thread.
  public init(label: String, threads: Threads = .shared, wake: (@Sendable () -> Void)? = nil) {
    queue = DispatchQueue(
      label: label, qos: .userInitiated, target: threads == .shared ? .global(qos: .userInitiated) : nil)
    mark = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: mark, value: true)
    self.wake = wake
  }

  /// The caller runs on ``queue``, or on a queue that targets it.
  public var isCurrent: Bool { isInTurn || DispatchQueue.getSpecific(key: mark) ?? false }

  public func enqueue(_ job: consuming ExecutorJob) {
    submit(QueueJob(job: UnownedJob(job), tasks: nil))
  }

  public func checkIsolated() {
    if !isInTurn { dispatchPrecondition(condition: .onQueue(queue)) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  // MARK: Turns

  private var isInTurn: Bool { turnThread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Runs `body` in a turn of the queue, later.
  public func async(_ body: @escaping @Sendable () -> Void) {
    waiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
    queue.async {
      self.waiting.wrappingSubtract(1, ordering: .relaxed)
      self.run(body)
    }
    if isIdling.load(ordering: .sequentiallyConsistent) { wake?() }
  }

  /// A turn: `body`, and then what it brought about for this queue. Only on ``queue``.
  package func run(_ body: () -> Void) {
    guard !isInTurn else { return body() }
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    body()
    var rounds = 0
    while !(jobs.isEmpty && endings.isEmpty), rounds < Self.roundsPerTurn {
      rounds += 1
      runJobs()
      runEndings()
    }
    turnThread.store(0, ordering: .relaxed)
    if rounds == Self.roundsPerTurn, !(jobs.isEmpty && endings.isEmpty) { async {} }
  }

  /// Has `participant` end its part of this turn once the turn's jobs have run. Whoever asks calls once a turn.
  package func atEndOfTurn(_ participant: any TurnParticipant) {
    guard isInTurn else { return async { participant.turnEnds() } }
    endings.append(participant)
  }

  /// Lets `body` wait on the queue's thread for more to do, unless something waits for the queue already. It is woken
  /// (`wake`) when something does. Only on ``queue``, between turns.
  package func idle<Ready: ExpressibleByArrayLiteral>(_ body: () -> Ready) -> Ready {
    isIdling.store(true, ordering: .sequentiallyConsistent)
    defer { isIdling.store(false, ordering: .relaxed) }
    guard waiting.load(ordering: .sequentiallyConsistent) == 0 else { return [] }
    return body()
  }

  fileprivate func submit(_ job: QueueJob) {
    guard isInTurn else { return async { self.perform(job) } }
    jobs.append(job)
  }

  private func runJobs() {
    var index = 0
    while index < min(jobs.count, Self.jobsPerRound) {
      perform(jobs[index])
      index += 1
    }
    if index == jobs.count { jobs.removeAll(keepingCapacity: true) } else { jobs.removeFirst(index) }
  }

  private func runEndings() {
    let count = endings.count
    for index in 0..<count { endings[index].turnEnds() }
    endings.removeFirst(count)
  }

  private func perform(_ job: QueueJob) {
    if let tasks = job.tasks {
      job.job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: tasks.asUnownedTaskExecutor())
    } else {
      job.job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }
}

/// Whoever gathers what a turn of a queue produces, to do it once at the turn's end.
package protocol TurnParticipant: AnyObject, Sendable {
  /// Called on the queue, in a turn.
  func turnEnds()
}

private struct QueueJob {
  var job: UnownedJob
  /// What it came by, if it was not the queue's serial executor.
  var tasks: QueueTaskExecutor?
}

/// A ``QueueExecutor``'s queue for tasks (`executorPreference`): what they call on an actor of this queue runs without a hop.
///
/// It is an object of its own: a job that runs with a task executor that its task does not prefer is lost when it leaves the
/// actor (Swift 6.3), so the two ways into the queue have to be told apart.
public final class QueueTaskExecutor: TaskExecutor {
  private let serial: QueueExecutor

  public init(_ serial: QueueExecutor) { self.serial = serial }

  public func enqueue(_ job: consuming ExecutorJob) {
    serial.submit(QueueJob(job: UnownedJob(job), tasks: self))
  }

  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }
}
