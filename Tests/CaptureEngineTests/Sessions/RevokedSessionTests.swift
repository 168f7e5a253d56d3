import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(1))) struct RevokedSessionTests {
  private let laptop = SessionOwner(connection: 1, name: "laptop", client: "laptop")
  private let phone = SessionOwner(connection: 2, name: "phone", client: "phone")

  @Test func sessionsOfAClientThatIsGoneAreClosedUnlessOthersLook() async throws {
    let node = await engine(FakeCamera("a"), FakeCamera("b"), FakeCamera("c"), FakeCamera("d"))
    for (name, camera, owner) in [
      ("door", "a", laptop), ("window", "b", laptop), ("hall", "c", phone), ("shared", "d", laptop),
    ] {
      _ = try await node.configureSession(name, .of(camera, .rawVGA), starts: true, owner: owner)
    }
    var seen: [SessionSubscription] = []
    for (name, client) in [("window", "laptop"), ("shared", "phone")] {
      seen.append(
        try await node.session(name).subscribe(
          .rawVGA, output: "", sink: TestSink(), holder: client, client: client))
    }
    var revoked = await node.clientsRevoked(["laptop"])
    #expect(revoked.closed == ["door", "window"] && revoked.used == ["shared"] && revoked.problems == [])
    #expect(await node.sessions().map(\.name) == ["hall", "shared"])
    // Its own subscription ended with the session.
    await #expect(throws: CaptureError.self) { try await seen[0].waitUntilEnded() }
    try await node.session("shared").unsubscribe(seen[1])
    revoked = await node.clientsRevoked(["laptop"])
    #expect(revoked.closed == ["shared"])
    #expect(await node.clientsRevoked(["laptop"]).closed == [])
    await node.shutDown()
  }

  @Test func oneThatWaitsForItsCameraIsForgotten() async throws {
    let store = TestStore()
    let first = CaptureEngine(imaging: .fake(), store: store)
    await first.attach(FakeProvider([FakeCamera("a")]))
    _ = try await first.configureSession("door", .of("a", .rawVGA), owner: laptop)
    await first.shutDown()
    let second = CaptureEngine(imaging: .fake(), store: store)
    await second.attach(FakeProvider([]))
    #expect(await second.clientsRevoked(["phone"]).closed == [])
    #expect(await second.clientsRevoked(["laptop"]).closed == ["door"])
    #expect(store.sessions.isEmpty)
    await second.shutDown()
  }

  /// `isUsed`: the other client looks at its session.
  @Test(arguments: [false, true])
  func anothersOfTheNameOfOneThatWasToBeRevokedStays(isUsed: Bool) async throws {
    let a = FakeCamera("a")
    let node = await engine(a, FakeCamera("b"))
    _ = try await node.configureSession("door", .of("a", .rawVGA), starts: true, owner: laptop)
    _ = try await node.configureSession("window", .of("b", .rawVGA), owner: laptop)
    a.state.withLock { $0.holdsStopping = true }
    let revoking = Task { await node.clientsRevoked(["laptop"]) }
    await eventually("the door's camera is to stop") { a.state.withLock { $0.heldStopping.count } == 1 }
    try await node.closeSession("window")
    _ = try await node.configureSession("window", .of("b", .rawVGA), owner: phone)
    if isUsed {
      _ = try await node.session("window").subscribe(
        .rawVGA, output: "", sink: TestSink(), holder: "phone", client: "phone")
    }
    a.releaseStop()
    #expect(await revoking.value == RevokedSessions(closed: ["door"]))
    #expect(await node.sessions().map(\.name) == ["window"])
    await node.shutDown()
  }

  @Test func soDoesOneThatIsMadeWhileTheFormerIsBeingClosed() async throws {
    let b = FakeCamera("b")
    let node = await engine(FakeCamera("a"), b)
    _ = try await node.configureSession("window", .of("b", .rawVGA), starts: true, owner: laptop)
    let gate = try await node.session("window").gate
    try await gate.enter()
    let closing = Task { try await node.closeSession("window") }
    await eventually("the close waits") { gate.waitingCount == 1 }
    let revoking = Task { await node.clientsRevoked(["laptop"]) }
    await eventually("its turn comes after that") { gate.waitingCount == 2 }
    b.state.withLock { $0.holdsStopping = true }
    gate.leave()
    await eventually("the camera is to stop") { b.state.withLock { $0.heldStopping.count } == 1 }
    _ = try await node.configureSession("window", .of("a", .rawVGA), owner: phone)
    b.releaseStop()
    try await closing.value
    #expect(await revoking.value == RevokedSessions())
    #expect(await node.sessions().map(\.owner) == ["phone"])
    await node.shutDown()
  }

  /// `isMade`: the other client's session is made in its place; otherwise the camera of that does not start.
  @Test(arguments: [false, true])
  func oneThatWaitsIsForgottenUnlessAnotherIsMadeInItsPlace(isMade: Bool) async throws {
    let store = TestStore()
    let before = CaptureEngine(imaging: .fake(), store: store)
    await before.attach(FakeProvider([FakeCamera("b")]))
    _ = try await before.configureSession("window", .of("b", .rawVGA), owner: laptop)
    await before.shutDown()
    let a = FakeCamera("a")
    let node = CaptureEngine(imaging: .fake(), store: store)
    await node.attach(FakeProvider([a]))
    a.state.withLock { $0.holdsStarting = true }
    let making = Task {
      await refusal {
        _ = try await node.configureSession("window", .of("a", .rawVGA), starts: true, owner: phone)
      }
    }
    await eventually("its camera is to start") { a.state.withLock { $0.heldStarting.count } == 1 }
    let gate = try await node.session("window").gate
    let revoking = Task { await node.clientsRevoked(["laptop"]) }
    await eventually("the close waits") { gate.waitingCount == 1 }
    a.releaseStart(failing: isMade ? nil : CaptureError(.unavailable, "it does not answer"))
    #expect(await making.value?.code == (isMade ? nil : .unavailable))
    #expect(await revoking.value == RevokedSessions(closed: isMade ? [] : ["window"]))
    #expect(store.sessions.values.map(\.client) == (isMade ? ["phone"] : []))
    #expect(await node.sessions().map(\.owner) == (isMade ? ["phone"] : []))
    await node.shutDown()
  }
}
