import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureNode

/// Asking for access, and deciding, over connections.
@Suite(.timeLimit(.minutes(1))) struct AccessRequestCallsTests {
  private func devices(_ client: ClientConnection) async throws -> [String] {
    try await DevicesClient(client).list(ListDevicesRequest(), options: bounded).devices.map(\.id)
  }

  private func calls(_ client: ClientConnection) -> AccessClient { AccessClient(client) }

  @Test func anApprovalHoldsForTheNextCallOfAConnection() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    let asked = try await calls(anna).request(
      AccessRequest(cameras: ["*-1"], role: .control), options: bounded)
    #expect(asked.authorization == .notDetermined && asked.wanted?.cameras == ["*-1"])
    let pending = try await calls(node.admin).pending(PendingAccessRequest(), options: bounded).requests
    #expect(pending.map(\.client) == ["anna"] && pending[0].devices == ["synthetic-1"])
    #expect(pending[0].role == .view && pending[0].cameras == ["*-0"] && pending[0].wanted?.role == .control)
    #expect(pending[0].peer.hasPrefix("127.0.0.1:"))
    #expect(try await devices(anna) == ["synthetic-0"])
    let decided = try await calls(node.admin).decide(
      DecideAccessRequest(client: "anna", approve: true, number: pending[0].number), options: bounded)
    #expect(decided.role == .control && decided.cameras == ["*-0", "*-1"])
    #expect(try await devices(anna) == ["synthetic-0", "synthetic-1"])
    _ = try await LeasesClient(anna).acquire(
      AcquireLeaseRequest(device: "synthetic-1", durationMs: 1000), options: bounded)
    // It would survive a crash.
    let again = NodeAccess(state: node.folder.path + "/state.json") { _, _ in }
    #expect(again.clients.map(\.role) == [.control])
    #expect(again.clients.map(\.cameras.patterns) == [["*-0", "*-1"]])
    await node.stop(anna)
  }

  @Test func aWatchTellsEachChange() async throws {
    let node = try await NodeWithClients()
    let (anna, bert) = (try await node.client("anna", seeing: 0), try await node.client("bert", seeing: 0))
    var changes = try await calls(anna).watch(AccessStatusRequest(role: .control), options: CallOptions())
      .makeAsyncIterator()
    #expect(try await changes.next()?.authorization == .notDetermined)
    // Others' requests are no news.
    _ = try await calls(bert).request(AccessRequest(role: .control), options: bounded)
    _ = try await calls(anna).request(AccessRequest(role: .control), options: bounded)
    #expect(try await changes.next()?.wanted?.role == .control)
    _ = try await calls(anna).request(AccessRequest(withdraw: true), options: bounded)
    var change = try await changes.next()
    #expect(change?.wanted == nil && change?.authorization == .notDetermined)
    _ = try await calls(anna).request(AccessRequest(role: .control), options: bounded)
    #expect(try await changes.next()?.wanted != nil)
    _ = try await calls(node.admin).decide(DecideAccessRequest(client: "anna"), options: bounded)
    change = try await changes.next()
    #expect(change?.authorization == .denied && change?.deniedS ?? 0 > 0)
    #expect(3_500...3_601 ~= change?.askAgainSeconds ?? 0)
    let refused = await status {
      _ = try await calls(anna).request(AccessRequest(role: .control), options: bounded)
    }
    #expect(refused?.code == .permissionDenied && refused?.text.contains("ask again in") == true)
    await node.stop(anna, bert)
  }

  /// A part of an identity names a camera once the client sees it.
  @Test func aWatchFindsACameraThatWasApproved() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    var changes = try await calls(anna).watch(AccessStatusRequest(device: "thetic-1"), options: CallOptions())
      .makeAsyncIterator()
    #expect(try await changes.next()?.authorization == .notDetermined)
    _ = try await calls(anna).request(AccessRequest(cameras: ["*-1"]), options: bounded)
    #expect(try await changes.next()?.wanted != nil)
    _ = try await calls(node.admin).decide(
      DecideAccessRequest(client: "anna", approve: true), options: bounded)
    #expect(try await changes.next()?.authorization == .authorized)
    await node.stop(anna)
  }

  @Test func itEndsWithTheNode() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    var changes = try await calls(anna).watch(AccessStatusRequest(), options: CallOptions())
      .makeAsyncIterator()
    #expect(try await changes.next()?.authorization == .authorized)
    async let drained: Void = node.node.drain(grace: .seconds(10))
    let ended = await status { while try await changes.next() != nil {} }
    #expect(ended?.code == .unavailable)
    await drained
    await node.stop(anna)
  }

  @Test func aRefusalSaysHowToAsk() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    let refused = await status {
      _ = try await LeasesClient(anna).acquire(
        AcquireLeaseRequest(device: "0", durationMs: 1000), options: bounded)
    }
    #expect(refused?.code == .permissionDenied)
    #expect(refused?.text.contains("capturectl access request --role control") == true)
    let refusedAdmin = await status {
      _ = try await calls(anna).clients(ListClientsRequest(), options: bounded)
    }
    #expect(refusedAdmin?.text.contains("access request") == false)
    await node.stop(anna)
  }

  @Test func whatCannotBeAskedForIsRefused() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    for (request, field) in [
      (AccessRequest(), "cameras"), (AccessRequest(cameras: ["a b"]), "cameras"),
      (AccessRequest(role: .admin), "role"), (AccessRequest(role: Role(rawValue: 9)), "role"),
      (AccessRequest(role: .control, withdraw: true), "withdraw"),
    ] {
      let refused = await status { _ = try await calls(anna).request(request, options: bounded) }
      #expect(refused?.code == .invalidArgument && refused?.details?.field == field, "\(request)")
    }
    let had = try await calls(anna).request(AccessRequest(cameras: ["*-0"], role: .view), options: bounded)
    #expect(had.authorization == .authorized && had.wanted == nil)
    let refused = await status {
      _ = try await calls(node.admin).request(AccessRequest(role: .control), options: bounded)
    }
    #expect(refused?.code == .permissionDenied)
    await node.stop(anna)
  }

  @Test func whoIsNotThereCannotBeApproved() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    func decide(_ name: String, number: UInt64 = 0) async -> RPCError? {
      await status {
        _ = try await calls(node.admin).decide(
          DecideAccessRequest(client: name, approve: true, number: number), options: bounded)
      }
    }
    #expect(await decide("bert")?.code == .notFound)
    #expect(await decide("anna")?.code == .failedPrecondition)
    _ = try await calls(anna).request(AccessRequest(role: .control), options: bounded)
    let other = await decide("anna", number: 9_999_999)
    #expect(other?.code == .failedPrecondition && other?.details?.field == "number")
    _ = try await node.access.revoke("anna")
    #expect(await decide("anna")?.code == .notFound)
    #expect(try await calls(node.admin).pending(PendingAccessRequest(), options: bounded).requests == [])
    await node.stop(anna)
  }

  @Test func whatCannotBeWrittenDownIsNotApproved() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", seeing: 0)
    _ = try await calls(anna).request(AccessRequest(role: .control), options: bounded)
    // A folder in place of the file: nothing can be moved there.
    let file = node.folder.path + "/access.json"
    #expect(rename(file, file + ".away") == 0 && mkdir(file, 0o700) == 0)
    let refused = await status {
      _ = try await calls(node.admin).decide(
        DecideAccessRequest(client: "anna", approve: true), options: bounded)
    }
    #expect(refused?.code == .resourceExhausted)
    #expect(try await calls(anna).status(AccessStatusRequest(), options: bounded).role == .view)
    #expect(rmdir(file) == 0)
    let decided = try await calls(node.admin).decide(
      DecideAccessRequest(client: "anna", approve: true), options: bounded)
    #expect(decided.role == .control, "the request is still there")
    await node.stop(anna)
  }

  @Test func asManyCallsWaitForNewsAsMay() throws {
    let news = AccessNews()
    var streams = try (0..<AccessNews.most).map { _ in try news.signals(of: "anna") }
    let error = #expect(throws: CaptureError.self) { _ = try news.signals(of: "anna") }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "accessWatches")
    streams.removeLast()
    #expect(throws: Never.self) { streams.append(try news.signals(of: "anna")) }
  }
}
