import CaptureModel
import CaptureNode
import CaptureSystem
import CaptureTestSupport
import Dispatch
import Synchronization
import Testing

@testable import CaptureEngine
@testable import capture_node

/// When systemd wants to hear from the node (`sd_watchdog_enabled(3)`).
@Suite struct ServiceWatchdogTests {
  private func period(_ environment: [String: String]) -> Duration? {
    ServiceWatchdog.period(environment: { environment[$0] }, process: 7)
  }

  @Test func itPingsThreeTimesInTheTimeThatItHas() {
    #expect(period(["WATCHDOG_USEC": "30000000"]) == .seconds(10))
    #expect(period(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(10))
  }

  @Test(arguments: [
    [:], ["WATCHDOG_USEC": ""], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "soon"],
    ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"],
  ]) func whereNobodyWatchesItDoesNotPing(_ environment: [String: String]) {
    #expect(period(environment) == nil)
  }
}

/// What waits where systemd takes nothing.
@Suite struct ServiceNewsTests {
  @Test func ofEachKindTheNewestWaits() {
    var news = ServiceNews()
    var isMore: [Bool] = []
    for state in ["READY=1", "STATUS=a", "WATCHDOG=1", "STATUS=b=c", "WATCHDOG=1"] {
      isMore.append(news.add(state))
    }
    #expect(isMore == [true, true, true, false, false])
    var taken: [String] = []
    while let state = news.next() { taken.append(state) }
    #expect(taken == ["READY=1", "STATUS=b=c", "WATCHDOG=1"])
    let isOneMore = news.add("STATUS=d")
    let last = news.next()
    #expect(isOneMore && last == "STATUS=d")
  }
}

/// What systemd hears of a node at work.
@Suite struct WatchedNodeTests {
  private static let ping = "WATCHDOG=1"
  private static let names = "STATUS=not responding: stuck"

  /// Collects the states that were told.
  private final class Listener: Sendable {
    private let states = Mutex<[String]>([])

    func hear(_ state: String) { states.withLock { $0.append(state) } }
    func count(_ state: String) -> Int { states.withLock { states in states.count { $0 == state } } }
  }

  /// A node with a camera whose driver has not answered for longer than the engine waits.
  private func nodeWithAHungCamera() async -> (engine: CaptureEngine, node: CameraNode) {
    let camera = FakeCamera("stuck", hasDriver: true)
    let engine = CaptureEngine(imaging: .standard)
    await engine.attach(FakeProvider([camera]))
    camera.fallSilent()
    await engine.checkDrivers()
    return (engine, CameraNode(engine))
  }

  private func eventually(_ what: Comment, _ condition: () -> Bool) async {
    for _ in 0..<2000 where !condition() { try? await Task.sleep(for: .milliseconds(5)) }
    #expect(condition(), what)
  }

  private func watch(_ node: CameraNode, pings: Bool = true, _ listener: Listener) -> Task<Void, Never> {
    Task { await ServiceWatchdog.watch(node, pings: pings, every: .milliseconds(5)) { listener.hear($0) } }
  }

  @Test func aCameraThatHangsKeepsNoPingBackAndIsNamedOnce() async {
    let (_, node) = await nodeWithAHungCamera()
    let listener = Listener()
    let watch = watch(node, listener)
    await eventually("it pings on") { listener.count(Self.ping) > 5 }
    #expect(listener.count(Self.names) == 1)
    watch.cancel()
    await node.drain(grace: .zero)
  }

  @Test func withoutAWatchdogItIsNamedToo() async {
    let (_, node) = await nodeWithAHungCamera()
    let listener = Listener()
    let watch = watch(node, pings: false, listener)
    await eventually("the camera is named") { listener.count(Self.names) == 1 }
    #expect(listener.count(Self.ping) == 0)
    watch.cancel()
    await node.drain(grace: .zero)
  }

  enum Blocked: CaseIterable { case aLoopThatServesClients, theEnginesQueue }

  @Test(arguments: Blocked.allCases) func whatDoesNotServeDoesNotPing(_ blocked: Blocked) async throws {
    let (engine, node) = await nodeWithAHungCamera()
    let isBlocked = Mutex(false)
    let release = DispatchSemaphore(value: 0)
    let block: @Sendable () -> Void = {
      isBlocked.withLock { $0 = true }
      release.wait()
    }
    switch blocked {
    case .aLoopThatServesClients: node.probe(block)
    case .theEnginesQueue: engine.inTurn(block)
    }
    await eventually("it is blocked") { isBlocked.withLock { $0 } }

    let listener = Listener()
    let watch = watch(node, listener)
    await eventually("it was asked") { listener.count(Self.names) == 1 }
    // A ping of a timer would be there by now many times.
    try await Task.sleep(for: .milliseconds(200))
    #expect(listener.count(Self.ping) == 0)

    release.signal()
    await eventually("it pings once it serves again") { listener.count(Self.ping) > 0 }
    watch.cancel()
    await node.drain(grace: .zero)
  }
}
