import CaptureSystem
import Glibc
import Synchronization
import Testing

@testable import CaptureLoop

@Suite struct LoopTurnTests {
  /// Something that is always readable.
  private final class Pipe: LoopSource {
    private var ends: [Int32] = [0, 0]
    var handler: () -> Void = {}
    var reading: Int32 { ends[0] }

    init() { precondition(pipe(&ends) == 0) }
    deinit { for end in ends { close(end) } }

    func fill() {
      var byte: UInt8 = 1
      precondition(write(ends[1], &byte, 1) == 1)
    }
    func ready(_ readiness: Readiness) { handler() }
  }

  /// The handlers keep what they use as long as the loop may call them.
  private static func end(_ loop: EventLoop, _ pipes: [Pipe]) {
    loop.end()
    for pipe in pipes { pipe.handler = {} }
  }

  /// Confined to its loop.
  private final class Crowd: @unchecked Sendable {
    let loop: EventLoop
    let sources = (0..<200).map { _ in Pipe() }
    let late = Pipe()
    var calls = 0
    let waited = Atomic<Int>(-1)

    init() throws { loop = try EventLoop(label: "test") }

    /// Each call takes longer than a loop serves without looking who else is ready, half of it in work that it brings about for the loop.
    func begin() throws {
      let (account, other) = (LoopAccount(), LoopAccount())
      late.handler = { [self] in
        if waited.load(ordering: .relaxed) < 0 { waited.store(calls - 300, ordering: .relaxed) }
        LoopTurnTests.end(loop, sources + [late])
      }
      _ = try loop.poll.add(late.reading, late, account: other)
      for source in sources {
        source.fill()
        source.handler = { [self] in
          calls += 1
          if calls == 300 { late.fill() }
          Self.work()
          loop.serial.async { Self.work() }
        }
        _ = try loop.poll.add(source.reading, source, account: account)
      }
    }

    private static func work() {
      let end = MonotonicClock.now() + 150_000
      while MonotonicClock.now() < end {}
    }
  }

  /// Sources of one account that are always ready. Each call causes jobs that take longer than a turn runs jobs. Confined to its loop.
  private final class Busy: @unchecked Sendable {
    static let jobs = 60
    let loop: EventLoop
    let tasks: QueueTaskExecutor
    let sources = (0..<20).map { _ in Pipe() }
    let late = Pipe()
    var calls = 0
    var done = 0
    let left = Atomic<Int>(-1)

    init() throws {
      loop = try EventLoop(label: "test")
      tasks = QueueTaskExecutor(loop.serial)
    }

    func begin() throws {
      late.handler = { [self] in
        if left.load(ordering: .relaxed) < 0 { left.store(calls * Self.jobs - done, ordering: .relaxed) }
        LoopTurnTests.end(loop, sources + [late])
      }
      _ = try loop.poll.add(late.reading, late, account: LoopAccount())
      let account = LoopAccount()
      for source in sources {
        source.fill()
        source.handler = { [self] in
          calls += 1
          if calls == 100 { late.fill() }
          for _ in 0..<Self.jobs { Task(executorPreference: tasks) { self.work() } }
        }
        _ = try loop.poll.add(source.reading, source, account: account)
      }
    }

    private func work() {
      done += 1
      let end = MonotonicClock.now() + 60_000
      while MonotonicClock.now() < end {}
    }
  }

  /// A call of 3.6 ms in jobs, again and again, and one of another account in the midst of them.
  @Test(.timeLimit(.minutes(1))) func anotherAccountWaitsForTheJobsOfOneTurn() async throws {
    let busy = try Busy()
    busy.loop.serial.async { try! busy.begin() }
    await eventually("the late one is served") { busy.left.load(ordering: .relaxed) >= 0 }
    // It becomes ready during a call, and comes next. Without this rule a turn runs 48 of the jobs, and four calls' or more are left.
    #expect((0...2 * Busy.jobs).contains(busy.left.load(ordering: .relaxed)))
  }

  /// 200 are ready all the time, on one account; one of another is ready in the midst of them.
  @Test(.timeLimit(.minutes(1))) func aCrowdOfOneAccountDelaysAnotherByOneOfItsTurns() async throws {
    let crowd = try Crowd()
    crowd.loop.serial.async { try! crowd.begin() }
    await eventually("the late one is served") { crowd.waited.load(ordering: .relaxed) >= 0 }
    #expect((0...2).contains(crowd.waited.load(ordering: .relaxed)))
  }
}
