import CaptureClient
import CaptureModel
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct LockTests {
  private struct Stop: Error {}

  private static func exposure(_ duration: Double) -> SettingsChange {
    var change = SettingsChange()
    change.exposure.duration = duration
    return change
  }

  /// Waits until this task is cancelled.
  @Sendable private static func untilCancelled() async throws -> Never {
    while true { try await Task.sleep(for: .seconds(60)) }
  }

  private func noLease(on node: RemoteNode) async throws -> Bool { try await node.leases().isEmpty }

  @Test func theBodyHasTheCameraAndOthersAreToldWhoHasIt() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    let seen = try await mine.camera("0").withLock(LockOptions(holder: "studio-a")) { lock in
      let refusal = await failure { try await theirs.camera("0").change(Self.exposure(0.002)) }
      #expect(refusal?.code == .failedPrecondition && refusal?.details?.reason == .leaseHeld)
      #expect(refusal?.details?.holder == "studio-a" && refusal?.message.contains("studio-a") == true)
      // Watching is free to all.
      _ = try await theirs.camera("0").settings()
      return try await lock.change(Self.exposure(0.005)).settings.exposure?.duration?.value
    }
    #expect(seen == 0.005)
    #expect(try await noLease(on: theirs))
    let free = try await theirs.camera("0").change(Self.exposure(0.002))
    #expect(free.settings.exposure?.duration?.value == 0.002)
    await live.stop()
  }

  @Test func aCameraThatAnotherHasIsNotLocked() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    let lease = try await theirs.camera("0").acquireLease(holder: "studio-b")
    let ran = Mutex(false)
    let refusal = await failure {
      try await mine.camera("0").withLock { _ in ran.withLock { $0 = true } }
    }
    #expect(refusal?.details?.reason == .leaseHeld && refusal?.details?.holder == "studio-b")
    #expect(ran.withLock { !$0 })
    // Who has patience gets it.
    async let patient = mine.camera("0").withLock(LockOptions(patience: .seconds(20))) { _ in 1 }
    try await theirs.release(try #require(lease.token))
    #expect(try await patient == 1)
    await live.stop()
  }

  @Test func itEndsWithABodyThatThrows() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    await #expect(throws: Stop.self) {
      try await node.camera("0").withLock { _ in
        #expect(try await node.leases().count == 1)
        throw Stop()
      }
    }
    #expect(try await noLease(on: node))
    await live.stop()
  }

  @Test func itEndsWithATaskThatIsCancelled() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await node.camera("0").withLock { _ in
        begins.yield()
        try await Self.untilCancelled()
      }
    }
    _ = await begun.first { true }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await noLease(on: node))
    await live.stop()
  }

  @Test func itRenewsItselfBeyondItsLifetime() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    try await mine.camera("0").withLock(LockOptions(holder: "studio-a", lifetime: .seconds(4))) {
      lock in
      try await Task.sleep(for: .milliseconds(4500))
      let refusal = await failure { try await theirs.camera("0").change(Self.exposure(0.002)) }
      #expect(refusal?.details?.holder == "studio-a")
      try await lock.change(Self.exposure(0.005))
    }
    #expect(try await noLease(on: theirs))
    await live.stop()
  }

  @Test func aBodyThatIsCancelledKeepsItUntilItEnds() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await mine.camera("0").withLock(LockOptions(holder: "studio-a", lifetime: .seconds(4))) {
        lock in
        begins.yield()
        do { try await Self.untilCancelled() } catch {
          // It puts things in order, which takes a while.
          return try await Task {
            try await Task.sleep(for: .milliseconds(4500))
            let refusal = await failure { try await theirs.camera("0").change(Self.exposure(0.002)) }
            #expect(refusal?.details?.holder == "studio-a")
            return try await lock.change(Self.exposure(0.005)).settings.exposure?.duration?.value
          }.value
        }
      }
    }
    _ = await begun.first { true }
    task.cancel()
    #expect(try await task.value == 0.005)
    #expect(try await noLease(on: theirs))
    await live.stop()
  }

  @Test func aLockThatIsTakenAwayCancelsTheBodyAndWhatTheNextOneSetStays() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    let wasCancelled = Mutex(false)
    let (begun, begins) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await mine.camera("0").withLock(LockOptions(holder: "studio-a", lifetime: .seconds(4))) {
        lock in
        try await lock.change(Self.exposure(0.005))
        begins.yield()
        do { try await Self.untilCancelled() } catch {
          wasCancelled.withLock { $0 = Task.isCancelled }
          // It sets nothing any more, even if it tries to.
          await Task { _ = try? await lock.change(Self.exposure(0.009)) }.value
          throw error
        }
      }
    }
    _ = await begun.first { true }
    #expect(try await theirs.camera("0").endLease(by: "the director").holder == "studio-a")
    try await theirs.camera("0").withLock(LockOptions(holder: "the director")) { lock in
      try await lock.change(Self.exposure(0.002))
      let loss = await failure { try await task.value }
      #expect(loss?.details?.reason == .leaseLost && loss?.details?.holder == "the director")
      #expect(loss?.message.contains("the director") == true)
      #expect(try await theirs.leases().map(\.holder) == ["the director"])
    }
    #expect(wasCancelled.withLock { $0 })
    #expect(try await mine.camera("0").settings().exposure?.duration?.value == 0.002)
    await live.stop()
  }

  @Test(arguments: [true, false]) func aLostConnectionEndsIt(reconnects: Bool) async throws {
    let live = try await LiveNode()
    let (mine, cable) = try await live.client(reconnects: reconnects)
    let (theirs, _) = try await live.client()
    let loss = await failure {
      try await mine.camera("0").withLock(LockOptions(lifetime: .seconds(2))) { _ in
        await cable.cut()
        try await Self.untilCancelled()
      }
    }
    // The lease ended with its connection.
    #expect(loss?.code == .aborted && loss?.details?.reason == .leaseLost, "\(loss as Any)")
    await eventually("the camera is free") { (try? await noLease(on: theirs)) == true }
    await live.stop()
  }

  /// The node that had given the lock is gone between two calls of the scope, and another is there on its address.
  @Test func aNodeThatIsStartedAnewHasNotTheLock() async throws {
    let live = try await LiveNode()
    let (mine, cable) = try await live.client()
    let next = Mutex<LiveNode?>(nil)
    let refusal = Mutex<CaptureError?>(nil)
    let loss = await failure {
      try await mine.camera("0").withLock(LockOptions(lifetime: .seconds(2))) { lock in
        try await lock.change(Self.exposure(0.005))
        await live.stop()
        let second = try await LiveNode(address: live.address)
        next.withLock { $0 = second }
        // The scope's second call, whose lock this node does not know. It is made even if the scope has been cancelled meanwhile.
        let answer = await Task { () -> CaptureError? in
          var answer: CaptureError?
          // While the connection is made again the call is refused as unavailable.
          await eventually("the new node answers") {
            answer = await failure { try await lock.change(Self.exposure(0.009)) }
            return answer?.code != .unavailable
          }
          return answer
        }.value
        refusal.withLock { $0 = answer }
        try await Self.untilCancelled()
      }
    }
    #expect(loss?.code == .aborted && loss?.details?.reason == .leaseLost, "\(loss as Any)")
    let answer = refusal.withLock { $0 }
    #expect(answer?.details?.reason == .leaseUnknown, "\(answer as Any)")
    let second = try #require(next.withLock { $0 })
    let (theirs, _) = try await second.client()
    // Nothing of it is left on the new node, and the camera is free.
    #expect(try await theirs.camera("0").settings().exposure?.duration?.value != 0.009)
    #expect(try await noLease(on: theirs))
    _ = try await theirs.camera("0").change(Self.exposure(0.002))
    withExtendedLifetime(cable) {}
    await second.stop()
  }
}
