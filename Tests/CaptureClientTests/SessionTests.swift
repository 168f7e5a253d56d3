import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureClient

@Suite(.timeLimit(.minutes(1))) struct SessionTests {
  private func door(of node: RemoteNode) async throws -> Session {
    try await node.makeSession("door") { configuration throws(CaptureError) in
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
  }

  private static let changed = FakeConnection.Answer(
    ending: .failure(RPCError(.aborted, "the session has changed", .init(.revisionChanged, bound: 2))))

  private static func state(_ revision: UInt64, _ outputs: String...) -> FakeConnection.Answer {
    .init(messages: [
      SessionState(
        session: "door", revision: revision,
        configuration: CaptureWire.SessionConfiguration(
          inputs: [SessionInput(device: "a")], outputs: outputs.map { SessionOutput(name: $0, kind: .video) })
      ).raw()
    ])
  }

  @Test func aChangeIsMadeAgainOnWhatAnotherClientHasMade() async throws {
    let connection = FakeConnection(inTurn: [
      SessionsMethods.get: [Self.state(1, "mine"), Self.state(2, "mine", "theirs")],
      SessionsMethods.configure: [Self.changed, Self.state(3, "mine", "theirs", "new")],
    ])
    var seen: [[String]] = []
    let status = try await RemoteNode(connection).session("door").commit {
      configuration throws(CaptureError) in
      seen.append(configuration.outputs.map(\.name))
      configuration.addOutput(.video, named: "new")
    }
    #expect(seen == [["mine"], ["mine", "theirs"]] && status.revision == 3)
    let requests = try [1, 3].map { try ConfigureSessionRequest(connection.requests[$0]) }
    #expect(requests.map(\.revision) == [1, 2] && requests.allSatisfy { !$0.dryRun && $0.session == "door" })
    #expect(
      requests.map { $0.configuration!.outputs.map(\.name) } == [
        ["mine", "new"], ["mine", "theirs", "new"],
      ])
  }

  @Test func aChangeThatNeverGetsItsTurnGivesUp() async throws {
    let connection = FakeConnection([
      SessionsMethods.get: Self.state(1, "mine"), SessionsMethods.configure: Self.changed,
    ])
    let error = await failure {
      try await RemoteNode(connection).session("door").commit { configuration throws(CaptureError) in }
    }
    #expect(error?.details?.reason == .revisionChanged && connection.requests.count == 10)
  }

  @Test func anotherRefusalIsThrownAtOnce() async throws {
    let refusal = FakeConnection.Answer(
      ending: .failure(RPCError(.failedPrecondition, "no", .init(.occupied))))
    let connection = FakeConnection([
      SessionsMethods.get: Self.state(1, "mine"), SessionsMethods.configure: refusal,
    ])
    let error = await failure {
      try await RemoteNode(connection).session("door").commit { configuration throws(CaptureError) in }
    }
    #expect(error?.details?.reason == .occupied && connection.requests.count == 2)
    // What the change throws is thrown, and nothing is sent.
    let mine = CaptureError(.invalidArgument, "not so")
    let thrown = await failure {
      try await RemoteNode(connection).session("door").commit { _ throws(CaptureError) in throw mine }
    }
    #expect(thrown == mine && connection.requests.count == 3)
  }

  /// Whoever is refused is refused by a change of the other, and the other makes three.
  @Test func twoClientsLoseNothingOfEachOther() async throws {
    let live = try await LiveNode()
    let (mine, _) = try await live.client()
    let (theirs, _) = try await live.client()
    _ = try await door(of: mine)
    await withThrowingTaskGroup { group in
      for (client, name) in [(mine, "mine"), (theirs, "theirs")] {
        group.addTask {
          for number in 0..<3 {
            try await client.session("door").commit { configuration throws(CaptureError) in
              configuration.addOutput(.photo, named: "\(name)\(number)")
            }
          }
        }
      }
    }
    let outputs = try await mine.session("door").status().configuration.outputs.map(\.name)
    #expect(outputs.sorted() == ["mine0", "mine1", "mine2", "theirs0", "theirs1", "theirs2", "video"])
    await live.stop()
  }

  @Test func checkingChangesNothing() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let session = try await door(of: node)
    let before = try await session.status()
    let would = try await session.check { configuration throws(CaptureError) in
      configuration.addOutput(.photo)
    }
    #expect(would.configuration.outputs.map(\.name) == ["video", "photo"])
    #expect(would.revision == before.revision + 1)
    let refusal = await failure {
      _ = try await session.check { configuration throws(CaptureError) in
        configuration.addOutput(.video, named: "video")
      }
    }
    #expect(refusal?.code == .invalidArgument && refusal?.details?.asked == .text("video"))
    #expect(try await session.status() == before)
    await live.stop()
  }

  @Test func aUsedNameIsRefusedAndItsSessionStays() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let before = try await door(of: node).status()
    let error = await failure {
      _ = try await node.makeSession("door", start: true) { configuration throws(CaptureError) in
        configuration.addInput(node.camera("0"))
        configuration.addOutput(.photo)
      }
    }
    #expect(error?.code == .alreadyExists && error?.details?.reason == .nameTaken)
    #expect(error?.details?.asked == .text("door") && error?.message.contains("'door'") == true)
    #expect(try await node.session("door").status() == before)
    #expect(try await node.sessions().count == 1)
    await live.stop()
  }

  /// A session names its cameras by their identities.
  @Test func anInputIsRemovedByItsIdentityOrAPartOfIt() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let whole = SessionConfiguration(
      inputs: [.init(camera: "usb-front-10"), .init(camera: "usb-back-20")],
      connections: [.init(camera: "usb-front-10", output: "video")])
    func left(_ name: String) -> [String] {
      var configuration = whole
      let isRemoved = configuration.removeInput(node.camera(name))
      #expect(isRemoved == (configuration != whole))
      #expect(
        configuration.connections.isEmpty == !configuration.inputs.contains { $0.camera == "usb-front-10" })
      return configuration.inputs.map(\.camera)
    }
    #expect(left("usb-front-10") == ["usb-back-20"] && left("back") == ["usb-front-10"])
    // Several have it, none has it, and an index is no part of an identity.
    for name in ["usb", "side", "1", "20", ""] { #expect(left(name).count == 2, "\(name)") }
    await live.stop()
  }
}
