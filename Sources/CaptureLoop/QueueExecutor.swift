import CaptureSystem
import Dispatch
import Glibc
import Synchronization

/// A serial Dispatch queue as an actor's executor (`unownedExecutor`). Tasks that are to run on the same queue prefer a ``QueueTaskExecutor`` of it.
///
/// Event handlers of Dispatch sources on `queue` run in a turn (``run(_:)``) and enter an actor on that queue with `assumeIsolated`. The jobs that a
/// turn causes for the same queue run at the turn's end, without a way through Dispatch. A busy loop keeps the queue's thread from one event to the
/// next (``stay(while:)``).
///
/// Unchecked: only the thread that is in a turn touches `jobs` and `endings`, and that thread is on the serial queue.
public final class QueueExecutor: SerialExecutor, @unchecked Sendable {
  /// The serial queue. Work that is sent to it directly waits as long as a loop stays on the queue's thread.
  public let queue: DispatchQueue
  private let mark: DispatchSpecificKey<Bool>

  /// The thread that is in a turn; 0: none.
  private let turnThread = Atomic<UInt>(0)
  private var jobs: [QueueJob] = []
  /// How many of the jobs that turns were given have been started. They are started in the order in which they came.
  private(set) var startedJobs: UInt64 = 0
  private var endings: [any TurnParticipant] = []
  /// Nanoseconds spent on work that other threads sent, since ``takeForeignTime()`` was last called.
  private var foreignTime: UInt64 = 0
  /// The inbox of a loop's queue; `nil` for a queue without a loop.
  private let inbox: LoopInbox?
  /// Whether an ``InlineExecutor`` that is called in one of the loop's turns runs in that turn.
  private let runsInlineExecutors: Bool

  /// Rounds of jobs and endings in one turn. After these, other work in the queue has its turn.
  private static let roundsPerTurn = 16
  /// How many jobs run in one round, before the endings send what those jobs have produced. With more, the peers of the first jobs would wait for the
  /// last ones.
  private static let jobsPerRound = 16
  /// A turn that has taken so many nanoseconds begins no further round, so that the loop sees what has become ready meanwhile.
  private static let turnTime: UInt64 = 2_000_000

  /// Where a queue's work runs.
  public enum Threads: Sendable {
    /// The queue shares its threads with other queues; there are as many threads as processors. For short turns that never block.
    case shared
    /// The queue gets a thread of its own when it needs one. For work that may block or takes long.
    case own
  }

  /// On Linux a quality of service gives no precedence; it only selects where Dispatch pools threads. For a queue with threads of its own Dispatch
  /// starts a thread whenever none is idle. Many such queues, or one that is busy by fits and starts, gather dozens of threads.
  public init(label: String, threads: Threads = .shared) {
    queue = DispatchQueue(
      label: label, qos: .userInitiated, target: threads == .shared ? .global(qos: .userInitiated) : nil)
    mark = DispatchSpecificKey<Bool>()
    (inbox, runsInlineExecutors) = (nil, false)
    queue.setSpecific(key: mark, value: true)
  }

  /// Makes the executor of a loop.
  /// - Parameters:
  ///   - runsInlineExecutors: whether an ``InlineExecutor`` that is called in one of the loop's turns runs in that turn.
  ///   - wake: ends the loop's wait, or has Dispatch start a turn of a loop that is away. Called on any thread.
  package init(loop label: String, runsInlineExecutors: Bool, wake: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    mark = DispatchSpecificKey<Bool>()
    inbox = LoopInbox(wake: wake)
    self.runsInlineExecutors = runsInlineExecutors
    queue.setSpecific(key: mark, value: true)
  }

  /// Whether the caller runs on ``queue``, or on a queue that targets it.
  public var isCurrent: Bool { isInTurn || DispatchQueue.getSpecific(key: mark) ?? false }

  public func enqueue(_ job: consuming ExecutorJob) {
    submit(.own(UnownedJob(job)))
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
    if let inbox, inbox.put(.block(body)) { return }
    queue.async { self.run(body) }
  }

  /// Runs a turn: `body`, and then the jobs that it caused for this queue. Only on ``queue``.
  package func run(_ body: () -> Void) {
    guard !isInTurn else { return body() }
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    body()
    let isSettled = settle()
    turnThread.store(0, ordering: .relaxed)
    if !isSettled { async {} }
  }

  /// Runs a loop's turns, one after the other on the queue's thread. Each turn begins with `turn`, which waits for events, with
  /// ``waitForEvents(_:)``, and handles them. Then the work that other threads have sent runs, and then the jobs that all this has caused. This goes
  /// on until `turn` returns `false`. Only on ``queue``.
  package func stay(while turn: () -> Bool) {
    inbox?.attend()
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    if runsInlineExecutors { Self.setCurrentLoop(self) }
    while turn() { _ = settle() }
    if runsInlineExecutors { Self.setCurrentLoop(nil) }
    turnThread.store(0, ordering: .relaxed)
  }

  /// Lets a loop wait for events. `mayWait` is false when there is work already.
  package func waitForEvents<R>(_ wait: (_ mayWait: Bool) -> R) -> R {
    guard jobs.isEmpty, endings.isEmpty, let inbox else { return wait(false) }
    return inbox.whileWaiting(wait)
  }

  /// If there is no work, marks the loop as away from its thread and returns `true`. From then on whoever sends work wakes the loop.
  package func leave() -> Bool { jobs.isEmpty && endings.isEmpty && (inbox?.leave() ?? true) }

  /// Notes that the loop has ended, and runs the work that was left in its inbox. Work that is sent to it from now on goes through ``queue``. Only on
  /// ``queue``.
  package func endLoop() {
    for item in inbox?.close() ?? [] { run { perform(item) } }
  }

  /// Returns how many nanoseconds the work that other threads sent has taken since the last call: that time was not spent for the client whose turn
  /// it is. Only in a turn.
  func takeForeignTime() -> UInt64 {
    defer { foreignTime = 0 }
    return foreignTime
  }

  /// How many jobs this queue's turns have been given so far. Only on ``queue``.
  var givenJobs: UInt64 { startedJobs &+ UInt64(jobs.count) }

  /// Whether other threads have sent work to the loop while it waits.
  package var isCalled: Bool { inbox?.isEmpty == false }

  /// Has `participant` finish its part of this turn once the turn's jobs have run. Call it once a turn.
  package func atEndOfTurn(_ participant: any TurnParticipant) {
    guard isInTurn else { return async { participant.turnEnds() } }
    endings.append(participant)
  }

  /// Runs an inline executor's jobs behind the work of this turn. Only in a turn.
  func run(_ executor: InlineExecutor) { jobs.append(.inline(executor)) }

  fileprivate func submit(_ job: QueueJob) {
    if isInTurn { return jobs.append(job) }
    if let inbox, inbox.put(.job(job)) { return }
    queue.async { self.run { self.perform(job) } }
  }

  /// Runs jobs and endings. Returns whether none is left.
  private func settle() -> Bool {
    let began = MonotonicClock.now()
    for _ in 0..<Self.roundsPerTurn {
      takeInbox()
      if jobs.isEmpty, endings.isEmpty { return true }
      runJobs()
      runEndings()
      if MonotonicClock.now() &- began >= Self.turnTime { break }
    }
    return jobs.isEmpty && endings.isEmpty
  }

  private func takeInbox() {
    guard let inbox, !inbox.isEmpty else { return }
    let began = MonotonicClock.now()
    for item in inbox.take() { perform(item) }
    foreignTime &+= MonotonicClock.now() &- began
  }

  private func runJobs() {
    var index = 0
    while index < min(jobs.count, Self.jobsPerRound) {
      perform(jobs[index])
      index += 1
    }
    startedJobs &+= UInt64(index)
    if index == jobs.count { jobs.removeAll(keepingCapacity: true) } else { jobs.removeFirst(index) }
  }

  private func runEndings() {
    let count = endings.count
    for index in 0..<count { endings[index].turnEnds() }
    endings.removeFirst(count)
  }

  private func perform(_ item: LoopInbox.Item) {
    switch item {
    case .block(let body): body()
    case .job(let job): perform(job)
    }
  }

  private func perform(_ job: QueueJob) {
    switch job {
    case .own(let job): job.runSynchronously(on: asUnownedSerialExecutor())
    case .ofTask(let job, let tasks): job.runSynchronously(on: tasks)
    case .inline(let executor): executor.runWaitingJobs()
    }
  }

  // MARK: The current loop

  private static let currentLoopKey: pthread_key_t = {
    var key = pthread_key_t()
    guard pthread_key_create(&key, nil) == 0 else {
      fatalError("there is no key left for a variable of each thread")
    }
    return key
  }()

  /// The loop in whose turn the caller runs, if that loop runs inline executors.
  static var currentLoop: QueueExecutor? {
    pthread_getspecific(currentLoopKey).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Sets the loop in whose turn this thread is; `nil`: in none. The loop is not retained, since it outlives its turns.
  private static func setCurrentLoop(_ currentLoop: QueueExecutor?) {
    pthread_setspecific(
      currentLoopKey, currentLoop.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}

/// Gathers what a turn of a queue produces, to send it once at the turn's end.
package protocol TurnParticipant: AnyObject, Sendable {
  /// Called on the queue, in a turn.
  func turnEnds()
}

enum QueueJob {
  case own(UnownedJob)
  /// A job of a task that prefers the queue. The task retains its executor.
  case ofTask(UnownedJob, UnownedTaskExecutor)
  /// The jobs that wait for an inline executor.
  case inline(InlineExecutor)
}

/// A ``QueueExecutor``'s queue as a preferred executor of tasks (`executorPreference`). Calls that such a task makes to an actor on this queue, or to
/// one that an ``InlineExecutor`` runs, need no hop.
///
/// This is an object of its own because the two ways into the queue have to be told apart: the runtime loses a job that runs with a task executor
/// which its task does not prefer, as soon as the job leaves the actor (Swift 6.3).
public final class QueueTaskExecutor: TaskExecutor {
  private let serial: QueueExecutor

  public init(_ serial: QueueExecutor) { self.serial = serial }

  public func enqueue(_ job: consuming ExecutorJob) {
    serial.submit(.ofTask(UnownedJob(job), asUnownedTaskExecutor()))
  }

  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }
}
