import CaptureSystem
import Glibc
import Synchronization
import Testing

@testable import CaptureLoop

@Suite struct InlineExecutorTests {
  /// Counts as an actor can only where one at a time is in.
  private actor Counter {
    nonisolated let executor: InlineExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var entries: [Int] = []

    init(_ executor: InlineExecutor = InlineExecutor()) { self.executor = executor }

    /// On which thread.
    @discardableResult
    func add(_ entry: Int) -> UInt {
      entries.append(entry)
      return pthread_self()
    }

    func perform(_ work: @Sendable () -> Void) { work() }
  }

  private final class Tally: Sendable {
    let done = Atomic<Int>(0)
    /// How many were done then.
    let whenTheLoopWentOn = Atomic<Int>(.max)
  }

  @Test func anActorRunsInTheTurnsOfALoopThatHasGuests() async throws {
    let loop = try EventLoop(label: "host", runsInlineExecutors: true)
    let counter = Counter()
    let threads = await Task(executorPreference: QueueTaskExecutor(loop.serial)) {
      var threads = [(UInt(pthread_self()), await counter.add(0))]
      threads.append((UInt(pthread_self()), await counter.add(1)))
      return threads
    }.value
    #expect(threads.allSatisfy { $0.0 == $0.1 })
    loop.end()
  }

  @Test func otherLoopsKeepTheirThread() async throws {
    let loop = try EventLoop(label: "no host")
    let counter = Counter()
    let isGuest = await Task(executorPreference: QueueTaskExecutor(loop.serial)) {
      let thread = UInt(pthread_self())
      return await counter.add(0) == thread
    }.value
    #expect(!isGuest)
    loop.end()
  }

  @Test func whatCameFirstRunsFirst() async throws {
    let loop = try EventLoop(label: "host", runsInlineExecutors: true)
    let counter = Counter()
    await Task(executorPreference: QueueTaskExecutor(loop.serial)) {
      for round in 0..<200 {
        counter.executor.async { counter.assumeIsolated { _ = $0.add(2 * round) } }
        await counter.add(2 * round + 1)
      }
    }.value
    #expect(await counter.entries == Array(0..<400))
    loop.end()
  }

  @Test func nothingRunsWhereItIsSent() async throws {
    let loop = try EventLoop(label: "host", runsInlineExecutors: true)
    let executor = InlineExecutor()
    await Task(executorPreference: QueueTaskExecutor(loop.serial)) {
      let isDone = Mutex(false)
      // Whoever is in would wait for the lock.
      isDone.withLock { _ in executor.async { isDone.withLock { $0 = true } } }
      await withCheckedContinuation { continuation in executor.async { continuation.resume() } }
      #expect(isDone.withLock { $0 })
    }.value
    loop.end()
  }

  @Test func oneAtATimeIsIn() async throws {
    let loops = try (0..<2).map { try EventLoop(label: "host \($0)", runsInlineExecutors: true) }
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<8 {
        let loop = loops[caller % 2]
        let executor: (any TaskExecutor)? = caller < 6 ? QueueTaskExecutor(loop.serial) : nil
        group.addTask(executorPreference: executor) {
          for entry in 0..<500 {
            await counter.add(entry)
            if entry % 10 == 0 { await Task.yield() }
          }
        }
      }
    }
    #expect(await counter.entries.count == 4_000)
    for loop in loops { loop.end() }
  }

  /// Longer than a visit may be, so that what is left has to be called for.
  @Test func aLongVisitEndsAndTheRestKeepsItsOrder() async {
    let executor = InlineExecutor()
    let seen = Mutex<[Int]>([])
    await withCheckedContinuation { continuation in
      executor.async {
        for number in 0..<200 {
          executor.async {
            Self.work(microseconds: 50)
            seen.withLock { $0.append(number) }
          }
        }
        executor.async { continuation.resume() }
      }
    }
    #expect(seen.withLock { $0 } == Array(0..<200))
  }

  @Test func aCrowdOfCallsLetsTheLoopGoOn() async throws {
    let loop = try EventLoop(label: "host", runsInlineExecutors: true)
    let counter = Counter()
    let tally = Tally()
    let calls = (0..<2_000).map { number in
      Task(executorPreference: QueueTaskExecutor(loop.serial)) {
        await counter.perform {
          if number == 0 {
            loop.serial.async {
              tally.whenTheLoopWentOn.store(tally.done.load(ordering: .relaxed), ordering: .relaxed)
            }
          }
          Self.work(microseconds: 100)
          tally.done.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    for call in calls { await call.value }
    await withCheckedContinuation { continuation in loop.serial.async { continuation.resume() } }
    #expect(tally.done.load(ordering: .relaxed) == calls.count)
    #expect(tally.whenTheLoopWentOn.load(ordering: .relaxed) < calls.count)
    loop.end()
  }

  private static func work(microseconds: UInt64) {
    let end = MonotonicClock.now() + 1_000 * microseconds
    while MonotonicClock.now() < end {}
  }

  @Test func onlyWhoIsInIsCurrent() async {
    let executor = InlineExecutor()
    #expect(!executor.isCurrent)
    let isCurrent = await withCheckedContinuation { continuation in
      executor.async { continuation.resume(returning: executor.isCurrent) }
    }
    #expect(isCurrent && !executor.isCurrent)
  }
}
