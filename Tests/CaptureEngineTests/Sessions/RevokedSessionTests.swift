import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RevokedSessionTests {
  private let laptop = SessionOwner(connection: 1, name: "laptop", client: "laptop")

  @Test func sessionsOfAClientThatIsGoneAreClosedUnlessOthersLook() async throws {
    let node = await engine(FakeCamera("a"), FakeCamera("b"), FakeCamera("c"), FakeCamera("d"))
    let other = SessionOwner(connection: 2, name: "phone", client: "phone")
    for (name, camera, owner) in [
      ("door", "a", laptop), ("window", "b", laptop), ("hall", "c", other), ("shared", "d", laptop),
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
}
