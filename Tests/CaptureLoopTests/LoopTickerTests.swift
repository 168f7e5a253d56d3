import CaptureSystem
import Synchronization
import Testing

@testable import CaptureLoop

@Suite struct LoopTickerTests {
  /// A ticker on a loop, and how often it ticked.
  private final class Rig: Sendable {
    let ticks = Atomic<Int>(0)
    private let loop: EventLoop
    private let ticker = Mutex<LoopTicker?>(nil)

    init(_ loop: EventLoop) { self.loop = loop }

    /// Ticks every millisecond.
    func start() {
      loop.serial.async { [self] in
        ticker.withLock { ticker in
          let new = try? LoopTicker(loop) { [weak self] in self?.ticks.add(1, ordering: .relaxed) }
          new?.start(at: MonotonicClock.now(), period: 1_000_000)
          ticker = new
        }
      }
    }

    func cancel() { loop.serial.async { [self] in ticker.withLock { $0?.cancel() } } }

    /// On the caller's thread.
    func free() { ticker.withLock { $0 = nil } }

    func hasTicked(_ count: Int) -> Bool { ticks.load(ordering: .relaxed) >= count }
  }

  @Test func itTicksUntilItIsCancelled() async throws {
    let loop = try EventLoop(label: "test")
    let (rig, other) = (Rig(loop), Rig(loop))
    rig.start()
    await eventually("it ticks") { rig.hasTicked(5) }
    rig.cancel()
    other.start()
    await eventually("another one ticks") { other.hasTicked(1) }
    let last = rig.ticks.load(ordering: .relaxed)
    await eventually("it goes on") { other.hasTicked(20) }
    #expect(rig.ticks.load(ordering: .relaxed) == last)
    other.free()
    rig.free()
  }

  @Test func oneThatIsFreedOnAnotherThreadIsClosedOnItsLoop() async throws {
    let before = openDescriptors()
    let loop = try EventLoop(label: "test")
    for _ in 0..<100 {
      let rig = Rig(loop)
      rig.start()
      await eventually("it ticks") { rig.hasTicked(1) }
      rig.free()
    }
    await eventually("they are closed") { openDescriptors() < before + 50 }
    let last = Rig(loop)
    last.start()
    await eventually("the loop goes on") { last.hasTicked(3) }
    last.free()
  }

  @Test func oneThatOutlivesItsLoopsEndIsClosedAllTheSame() async throws {
    let before = openDescriptors()
    for _ in 0..<100 {
      let loop = try EventLoop(label: "test")
      let rig = Rig(loop)
      rig.start()
      await eventually("it ticks") { rig.hasTicked(1) }
      loop.end()
      rig.free()
    }
    await eventually("they are closed") { openDescriptors() < before + 50 }
  }
}
