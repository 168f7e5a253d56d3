import CaptureClient
import CaptureModel
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

/// Locks whose node answers late, or not at all.
@Suite(.timeLimit(.minutes(1))) struct LostAnswersTests {
  /// A node that gives and renews every lease. It keeps the answer to the first renewal back for a while.
  private final class LateNode: NodeConnection {
    /// It is longer than a lock goes without a renewal.
    static let delay = Duration.milliseconds(2500)
    private let connection = FakeConnection([
      LeasesMethods.acquire: .init(messages: [LeaseInfo(token: "a", device: "0").raw()]),
      LeasesMethods.renew: .init(messages: [LeaseInfo(token: "a", device: "0").raw()]),
      LeasesMethods.release: .init(messages: [ReleaseLeaseResponse().raw()]),
    ])
    /// For how long the client waits for each answer to a renewal.
    private let waits = Mutex<[Duration?]>([])

    var patience: [Duration?] { waits.withLock { $0 } }

    func unary(_ method: MethodDescriptor, _ request: RawMessage, options: CallOptions)
      async throws(RPCError) -> RawMessage
    {
      let answer = try await connection.unary(method, request, options: options)
      guard method == LeasesMethods.renew else { return answer }
      let isFirst = waits.withLock { waits in
        waits.append(options.timeout)
        return waits.count == 1
      }
      if isFirst { try? await Task.sleep(for: Self.delay) }
      return answer
    }

    func open(_ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions)
      async throws(RPCError) -> any RawClientCall
    {
      try await connection.open(method, request, last: last, options: options)
    }

    func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
      try await connection.roundTrip(timeout: timeout)
    }
    func clockOffset() async throws(RPCError) -> ClockOffset { try await connection.clockOffset() }
    func close() async { await connection.close() }
    var refusal: RPCError? { connection.refusal }
    func waitUntilLost() async -> RPCError? { await connection.waitUntilLost() }
  }

  /// For how long a lock of this lifetime waits for the answers to its first renewals. Calls have no time limit.
  private func patience(ofFirst count: Int, lifetime: Duration) async throws -> [Duration] {
    let late = LateNode()
    var configuration = RemoteNode.Configuration()
    configuration.timeout = nil
    try await RemoteNode(late, configuration: configuration).camera("0").withLock(
      LockOptions(lifetime: lifetime)
    ) { _ in
      await eventually("it is renewed") { late.patience.count >= count }
    }
    return late.patience.prefix(count).compactMap { $0 }
  }

  @Test func aLockLastsFromWhenItsRenewalWasSent() async throws {
    let waits = try await patience(ofFirst: 2, lifetime: .seconds(6))
    try #require(waits.count == 2)
    // Two seconds go by before the first renewal. The second one waits for the late answer to the first one, and then for nothing more: another
    // two seconds would leave it a second and a half at most.
    #expect(waits[0] <= .seconds(4))
    #expect(waits[1] <= .seconds(6) - LateNode.delay)
    #expect(waits[1] > .seconds(4) - LateNode.delay)
  }

  /// The node would end a silent connection, and the lock with it, before the lock's lifetime is over.
  @Test func aLongLockIsNotKeptLongerThanItsConnection() async throws {
    let waits = try await patience(ofFirst: 1, lifetime: .seconds(3600))
    #expect(waits.count == 1 && waits[0] <= .seconds(38))
  }

  /// The time limit of calls is ten seconds, five times the lock's lifetime.
  @Test func aSilentNetworkEndsALockWhenTheNodeGivesTheCameraAway() async throws {
    let live = try await LiveNode()
    let link = try SilentLink(to: live.address)
    let mine = RemoteNode(try await ClientConnection.connect(to: link.address))
    let (theirs, _) = try await live.client()
    let ended = Mutex<ContinuousClock.Instant?>(nil)
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await mine.camera("0").withLock(LockOptions(lifetime: .seconds(2))) { _ in
        link.silence()
        begins.yield()
        do { try await Task.sleep(for: .seconds(60)) } catch {
          ended.withLock { $0 = ContinuousClock.now }
          throw error
        }
      }
    }
    _ = await begun.first { true }
    let given = try await theirs.camera("0").withLock(LockOptions(patience: .seconds(30))) { _ in
      ContinuousClock.now
    }
    let loss = await failure { try await task.value }
    let returned = ContinuousClock.now
    #expect(loss?.code == .aborted && loss?.details?.reason == .leaseLost, "\(loss as Any)")
    // Both are woken at about the same time, and the caller does not wait for a node that does not answer.
    let end = try #require(ended.withLock { $0 })
    #expect(given.duration(to: end) < .seconds(3), "the body ran on beside that of another client")
    #expect(given.duration(to: returned) < .seconds(5), "the caller waited for the node")
    await mine.close()
    await live.stop()
  }

  @Test func aLockThatWasWaitedForLongerThanItLivesIsKept() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    _ = try await theirs.camera("0").acquireLease(for: .milliseconds(4500))
    let options = LockOptions(patience: .seconds(30), lifetime: .seconds(4))
    try await mine.camera("0").withLock(options) { lock in
      try await Task.sleep(for: .milliseconds(1500))
      try await lock.change { $0.exposure.duration = 0.005 }
    }
    await live.stop()
  }
}
