import CaptureLoop
import CaptureSystem
import Foundation
import Synchronization
import Testing

struct DeviceThreadTests {
  private actor Guest {
    nonisolated let thread: DeviceThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.serial.asUnownedSerialExecutor() }
    private var count = 0
    init(_ thread: DeviceThread) { self.thread = thread }
    func add() -> Int {
      #expect(thread.serial.isCurrent)
      count += 1
      return count
    }
    /// Until somebody writes into the other end.
    func watch(_ descriptor: Int32, _ heard: @escaping @Sendable (Int16) -> Void) {
      thread.watch(descriptor, Int16(POLLIN)) { [weak self] found in
        self?.assumeIsolated { $0.thread.endWatch() }
        heard(found)
      }
    }
    private var timer: LoopTimer?
    /// Nanoseconds.
    func arm(after pause: UInt64, _ fire: @escaping @Sendable () -> Void) {
      timer = thread.timer(fire)
      timer?.arm(MonotonicClock.now() + pause)
    }
    func hold(_ gate: Gate) { thread.calling { gate.pass() } }
  }

  /// Holds whoever passes, until it is opened: a driver.
  private final class Gate: Sendable {
    private let ends: (Int32, Int32)
    private let hasComer = Mutex(false)
    /// Whether somebody is held, or was.
    var isReached: Bool { hasComer.withLock { $0 } }
    init() {
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      self.ends = (ends[0], ends[1])
    }
    func pass() {
      hasComer.withLock { $0 = true }
      var byte: UInt8 = 0
      _ = read(ends.0, &byte, 1)
    }
    func open() {
      var byte: UInt8 = 0
      _ = write(ends.1, &byte, 1)
    }
  }

  @Test func anActorLivesOnIt() async throws {
    let guest = Guest(try DeviceThread(label: "test"))
    for count in 1...100 { #expect(await guest.add() == count) }
  }

  @Test func itWaitsForItsDescriptorItself() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let guest = Guest(try DeviceThread(label: "test"))
    let heard = Mutex<[Int16]>([])
    await guest.watch(ends[0]) { found in heard.withLock { $0.append(found) } }
    var byte: UInt8 = 0
    _ = write(ends[1], &byte, 1)
    await eventually("it is heard") { heard.withLock { !$0.isEmpty } }
    #expect(heard.withLock { $0 } == [Int16(POLLIN)])
    for end in ends { close(end) }
  }

  @Test func aTimerFires() async throws {
    let guest = Guest(try DeviceThread(label: "test"))
    let fired = Mutex(false)
    await guest.arm(after: 10_000_000) { fired.withLock { $0 = true } }
    await eventually("it fires") { fired.withLock { $0 } }
  }

  @Test func whatItOwesIsKnownWhileItIsHeld() async throws {
    let thread = try DeviceThread(label: "test")
    let (guest, gate) = (Guest(thread), Gate())
    _ = await guest.add()
    let before = MonotonicClock.now()
    let held = Task { await guest.hold(gate) }
    // Before that the thread owes its wakening, which is another time.
    await eventually("it is held") { gate.isReached }
    let since = try #require(thread.unansweredSince)
    #expect(since >= before && since <= MonotonicClock.now())
    // Who comes meanwhile waits; the age is that of the call.
    let waiting = Task { await guest.add() }
    #expect(thread.unansweredSince == since)
    gate.open()
    await held.value
    #expect(await waiting.value == 2)
    await eventually("it owes nothing") { thread.unansweredSince == nil }
  }

  @Test func itEndsWithItsLastOwner() async throws {
    func threads() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.count { (try? SmallFile.text(of: "/proc/self/task/\($0)/comm")) == "ends by itself" }
    }
    do {
      var many: [DeviceThread] = []
      for _ in 0..<20 { many.append(try DeviceThread(label: "ends by itself")) }
      await eventually("they run") { threads() == 20 }
      many = []
    }
    await eventually("they end") { threads() == 0 }
  }

  @Test func waitingHasABound() async {
    let begun = ContinuousClock.now
    let hasEnded = await Patience.wait(atMost: .milliseconds(50)) { try? await Task.sleep(for: .seconds(30)) }
    #expect(!hasEnded)
    #expect(ContinuousClock.now - begun < .seconds(10))
    #expect(await Patience.wait(atMost: .seconds(30)) {})
  }

  @Test func whatOutlastsItsBoundIsMadeToEnd() async {
    let (ends, end) = AsyncStream<Int>.makeStream()
    let outcome = await Patience.run(atMost: .milliseconds(50), expire: { end.yield(1) }) {
      await ends.first { _ in true }
    }
    #expect(outcome == 1)
    let inTime = await Patience.run(atMost: .seconds(30), expire: { end.finish() }) { 3 }
    #expect(inTime == 3)
  }
}
