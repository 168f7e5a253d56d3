import CaptureSystem
import Synchronization
import Testing

@testable import CaptureLoop

@Suite struct EventLoopTests {
  /// Pieces of work, and how often each was done.
  private final class Work: Sendable {
    private let counts: Mutex<[Int]>
    init(_ count: Int) { counts = Mutex(Array(repeating: 0, count: count)) }

    var done: [Int] { counts.withLock { $0 } }
    func send(_ range: Range<Int>, to loop: EventLoop) {
      for index in range { loop.serial.async { self.counts.withLock { $0[index] += 1 } } }
    }
  }

  /// Lives on a loop.
  private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.serial.asUnownedSerialExecutor() }
    private var count = 0

    init(_ loop: EventLoop) { self.loop = loop }
    func next() -> Int {
      count += 1
      return count
    }
  }

  @Test func workIsDoneOnceWhetherItComesBeforeTheEndOrMeanwhileOrAfterIt() async throws {
    for _ in 0..<100 {
      let loop = try EventLoop(label: "test")
      let work = Work(300)
      work.send(0..<100, to: loop)
      await withTaskGroup { group in
        group.addTask { work.send(100..<200, to: loop) }
        group.addTask { loop.end() }
      }
      work.send(200..<300, to: loop)
      await eventually("all is done") { work.done.min() == 1 }
      await withCheckedContinuation { (passed: CheckedContinuation<Void, Never>) in
        loop.serial.async { passed.resume() }
      }
      #expect(work.done == Array(repeating: 1, count: 300))
    }
  }

  @Test func anActorOutlivesTheEndOfItsLoop() async throws {
    for _ in 0..<20 {
      let counter = Counter(try EventLoop(label: "test"))
      await withTaskGroup { group in
        for index in 0..<50 {
          group.addTask {
            if index == 25 { counter.loop.end() }
            _ = await counter.next()
          }
        }
      }
      #expect(await counter.next() == 51)
    }
  }

  @Test func descriptorsAreClosedBehindTheEnd() async throws {
    let before = openDescriptors()
    for round in 0..<200 {
      let loop = try EventLoop(label: "test")
      // Some are away, some on a thread; some are ended, some let go of.
      if round % 2 == 0 { loop.serial.async {} }
      if round % 4 < 2 { loop.end() }
    }
    await eventually("they are closed") { openDescriptors() < before + 100 }
  }

  @Test func aTimerIsDueWhereTheLoopHasBeenQuiet() async throws {
    // Longer than a loop stays: it is away when the time comes.
    let loop = try EventLoop(label: "test")
    let due = MonotonicClock.now() + 600_000_000
    let timer = Mutex<LoopTimer?>(nil)
    let fired = await withCheckedContinuation { (fired: CheckedContinuation<UInt64, Never>) in
      loop.serial.async {
        timer.withLock { timer in
          let new = LoopTimer(loop) { fired.resume(returning: MonotonicClock.now()) }
          new.arm(due)
          timer = new
        }
      }
    }
    #expect(fired >= due)
    timer.withLock { $0 = nil }
  }
}
