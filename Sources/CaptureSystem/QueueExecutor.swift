import Dispatch
import Glibc
import Synchronization

/// A serial Dispatch queue as an actor's executor (`unownedExecutor`). Tasks that are to run on the same queue prefer a
/// ``QueueTaskExecutor`` of it.
///
/// Event handlers of Dispatch sources on `queue` run in a turn (``run(_:)``) and enter an actor that lives on it with
/// `assumeIsolated`. Jobs that a turn brings about for the same queue are run at its end, without a way through Dispatch. A
/// lively loop keeps the queue's thread from one event to the next (``stay(while:)``).
///
/// Unchecked: `jobs` and `endings` are touched only by the thread that is in a turn, which is on the serial queue.
public final class QueueExecutor: SerialExecutor, @unchecked Sendable {
  /// The serial queue. What is put there itself waits as long as a loop stays.
  public let queue: DispatchQueue
  private let mark: DispatchSpecificKey<Bool>

  /// The thread that is in a turn; 0: none.
  private let turnThread = Atomic<UInt>(0)
  private var jobs: [QueueJob] = []
  private var endings: [any TurnParticipant] = []
  /// Nanoseconds that went to what others sent, since that was last taken.
  private var foreignTime: UInt64 = 0
  /// Of a loop's queue.
  private let inbox: LoopInbox?
  /// Its turns are also those of ``GuestExecutor``s that are called from them.
  private let hasGuests: Bool

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
  public init(label: String, threads: Threads = .shared) {
    queue = DispatchQueue(
      label: label, qos: .userInitiated, target: threads == .shared ? .global(qos: .userInitiated) : nil)
    mark = DispatchSpecificKey<Bool>()
    (inbox, hasGuests) = (nil, false)
    queue.setSpecific(key: mark, value: true)
  }

  /// The executor of a loop.
  /// - Parameters:
  ///   - hasGuests: its turns are also those of ``GuestExecutor``s that are called from them.
  ///   - wake: ends what the loop waits for, or has Dispatch call it. Called on any thread.
  package init(loop label: String, hasGuests: Bool, wake: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: label, qos: .userInitiated)
    mark = DispatchSpecificKey<Bool>()
    inbox = LoopInbox(wake: wake)
    self.hasGuests = hasGuests
    queue.setSpecific(key: mark, value: true)
  }

  /// The caller runs on ``queue``, or on a queue that targets it.
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

  /// A turn: `body`, and then what it brought about for this queue. Only on ``queue``.
  package func run(_ body: () -> Void) {
    guard !isInTurn else { return body() }
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    body()
    let isSettled = settle()
    turnThread.store(0, ordering: .relaxed)
    if !isSettled { async {} }
  }

  /// A loop's turns, one after the other on the queue's thread until `turn` returns `false`. Each waits for events, with ``rest(_:)``, and
  /// handles them; what this brings about for the queue, and what others sent to it, runs behind. Only on ``queue``.
  package func stay(while turn: () -> Bool) {
    inbox?.attend()
    turnThread.store(UInt(pthread_self()), ordering: .relaxed)
    if hasGuests { Self.setHost(self) }
    while turn() { _ = settle() }
    if hasGuests { Self.setHost(nil) }
    turnThread.store(0, ordering: .relaxed)
  }

  /// Lets a loop wait for events. `mayWait` is false when there is something to do already.
  package func rest<R>(_ wait: (_ mayWait: Bool) -> R) -> R {
    guard jobs.isEmpty, endings.isEmpty, let inbox else { return wait(false) }
    return inbox.rest(wait)
  }

  /// Whether the loop may leave the thread: there is nothing to do, and whoever sends it something wakes it.
  package func leave() -> Bool { jobs.isEmpty && endings.isEmpty && inbox?.leave() ?? true }

  /// The loop has ended: what is sent to it from here on goes through ``queue``. Only there.
  package func endLoop() {
    for item in inbox?.close() ?? [] { run { perform(item) } }
  }

  /// How long what other threads sent took since the last time, nanoseconds: it was not for whom the turn is. Only in a turn.
  func takeForeignTime() -> UInt64 {
    defer { foreignTime = 0 }
    return foreignTime
  }

  /// Something was sent to the loop while it rests.
  package var isCalled: Bool { inbox?.isEmpty == false }

  /// Has `participant` end its part of this turn once the turn's jobs have run. Whoever asks calls once a turn.
  package func atEndOfTurn(_ participant: any TurnParticipant) {
    guard isInTurn else { return async { participant.turnEnds() } }
    endings.append(participant)
  }

  /// Has a guest run behind what this turn does already. Only in a turn.
  func receive(_ guest: GuestExecutor) { jobs.append(.guest(guest)) }

  fileprivate func submit(_ job: QueueJob) {
    if isInTurn { return jobs.append(job) }
    if let inbox, inbox.put(.job(job)) { return }
    queue.async { self.run { self.perform(job) } }
  }

  /// Whether nothing is left.
  private func settle() -> Bool {
    for _ in 0..<Self.roundsPerTurn {
      takeInbox()
      if jobs.isEmpty, endings.isEmpty { return true }
      runJobs()
      runEndings()
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
    case .ofTask(let job, let tasks): job.runSynchronously(on: tasks.asUnownedTaskExecutor())
    case .guest(let guest): guest.visit()
    }
  }

  // MARK: Hosts

  private static let hostKey: pthread_key_t = {
    var key = pthread_key_t()
    guard pthread_key_create(&key, nil) == 0 else { fatalError("no more variables of threads") }
    return key
  }()

  /// In whose turn the caller is, if that has guests.
  static var host: QueueExecutor? {
    pthread_getspecific(hostKey).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Of this thread. Not retained: a turn outlives what happens in it.
  private static func setHost(_ host: QueueExecutor?) {
    pthread_setspecific(hostKey, host.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
  }
}

/// Whoever gathers what a turn of a queue produces, to do it once at the turn's end.
package protocol TurnParticipant: AnyObject, Sendable {
  /// Called on the queue, in a turn.
  func turnEnds()
}

enum QueueJob {
  case own(UnownedJob)
  /// Of a task that prefers the queue.
  case ofTask(UnownedJob, QueueTaskExecutor)
  /// What waits there.
  case guest(GuestExecutor)
}

/// A ``QueueExecutor``'s queue for tasks (`executorPreference`): what they call on an actor of this queue, or on one that a ``GuestExecutor``
/// runs, runs without a hop.
///
/// It is an object of its own: a job that runs with a task executor that its task does not prefer is lost when it leaves the
/// actor (Swift 6.3), so the two ways into the queue have to be told apart.
public final class QueueTaskExecutor: TaskExecutor {
  private let serial: QueueExecutor

  public init(_ serial: QueueExecutor) { self.serial = serial }

  public func enqueue(_ job: consuming ExecutorJob) {
    serial.submit(.ofTask(UnownedJob(job), self))
  }

  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }
}
