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

  /// More than a visit takes, so that what is left has to be called for.
  @Test func aLongVisitEnds() async {
    let executor = InlineExecutor()
    let seen = Atomic<Int>(0)
    await withCheckedContinuation { continuation in
      executor.async {
        for _ in 0..<1_000 { executor.async { seen.wrappingAdd(1, ordering: .relaxed) } }
        executor.async { continuation.resume() }
      }
    }
    #expect(seen.load(ordering: .relaxed) == 1_000)
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
