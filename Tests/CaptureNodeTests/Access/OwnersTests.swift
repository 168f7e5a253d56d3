import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Glibc
import Testing

@testable import CaptureNode

/// Two clients that control the same cameras: what one of them has is not the other's.
@Suite struct OwnersTests {
  private let node: NodeWithClients
  private let anna, bert: ClientConnection

  init() async throws {
    node = try await NodeWithClients()
    anna = try await node.client("anna", [AccessGrant(.control)])
    bert = try await node.client("bert", [AccessGrant(.control)])
  }

  private func context(_ caller: Caller) -> CallContext {
    CallContext(method: LibraryMethods.delete, peer: "test", connectionID: 1, caller: caller)
  }

  private func free(_ client: ClientConnection) async -> RPCError? {
    await status {
      _ = try await LeasesClient(client).release(
        ReleaseLeaseRequest(device: "0", force: true), options: bounded)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aLeaseIsEndedByForceByItsClientAndByAnAdmin() async throws {
    func acquire(_ client: ClientConnection) async throws {
      _ = try await LeasesClient(client).acquire(
        AcquireLeaseRequest(device: "0", durationMs: 60_000, outlivesConnection: true), options: bounded)
    }
    try await acquire(anna)
    let refused = await free(bert)
    #expect(refused?.code == .permissionDenied && refused?.text.contains("needs admin") == true)
    #expect(try await LeasesClient(anna).list(options: bounded).leases.count == 1)
    #expect(await free(anna) == nil)
    try await acquire(anna)
    #expect(await free(node.admin) == nil)
    // An admin's lease is not a client's, either.
    try await acquire(node.admin)
    #expect(await free(anna)?.code == .permissionDenied)
    #expect(await free(node.admin) == nil)
    await node.stop(anna, bert)
  }

  @Test(.timeLimit(.minutes(1))) func aTokenIsForWhomItWasGivenTo() async throws {
    func renew(_ token: String, _ client: ClientConnection) async -> RPCError? {
      await status {
        _ = try await LeasesClient(client).renew(RenewLeaseRequest(token: token), options: bounded)
      }
    }
    for (holder, stranger) in [(anna, bert), (node.admin, anna), (anna, node.admin)] {
      let lease = try await LeasesClient(holder).acquire(
        AcquireLeaseRequest(device: "0", durationMs: 60_000), options: bounded)
      #expect(await renew(lease.token, stranger)?.code == .notFound)
      let release = await status {
        _ = try await LeasesClient(stranger).release(
          ReleaseLeaseRequest(token: lease.token), options: bounded)
      }
      #expect(release?.code == .notFound)
      #expect(await renew(lease.token, holder) == nil)
      _ = try await LeasesClient(holder).release(ReleaseLeaseRequest(token: lease.token), options: bounded)
    }
    // The owner's name is no client's, and revoking "it" ends nothing.
    let own = try await LeasesClient(node.admin).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000), options: bounded)
    await #expect(throws: RPCError.self) {
      try await AccessClient(node.admin).revoke(RevokeRequest(client: "user \(getuid())"), options: bounded)
    }
    #expect(await renew(own.token, node.admin) == nil)
    await node.stop(anna, bert)
  }

  /// Both clients call their request the same, and want the same of one camera.
  @Test(.timeLimit(.minutes(1))) func anIdOfARequestIsForItsClient() async throws {
    func moment(_ client: ClientConnection) async throws -> UInt64? {
      var last = PhotoEvent()
      let settings = PhotoSettings(settle: SettlingBound(longestMs: 0), requestID: "again")
      for try await event in try await PhotosClient(client).capture(
        CapturePhotoRequest(device: "0", settings: settings), options: bounded)
      {
        last = event
      }
      return last.info?.timestampNs
    }
    let (first, other) = (try await moment(anna), try await moment(bert))
    #expect(first != nil && other != nil && first != other)
    #expect(try await moment(anna) == first)
    #expect(try await moment(bert) == other)
    await node.stop(anna, bert)
  }

  @Test(.timeLimit(.minutes(1))) func aSessionWithoutANameIsForTheClientThatMadeIt() async throws {
    func configuration() -> CaptureWire.SessionConfiguration {
      CaptureWire.SessionConfiguration(inputs: [SessionInput(device: "0")])
    }
    func close(_ name: String, _ client: ClientConnection) async -> RPCError? {
      await status {
        _ = try await SessionsClient(client).close(CloseSessionRequest(session: name), options: bounded)
      }
    }
    let session = try await SessionsClient(anna).configure(
      ConfigureSessionRequest(configuration: configuration()), options: bounded)
    let refusals = [
      await close(session.session, bert),
      await status {
        _ = try await SessionsClient(bert).start(
          StartSessionRequest(session: session.session), options: bounded)
      },
      await status {
        _ = try await SessionsClient(bert).configure(
          ConfigureSessionRequest(session: session.session, configuration: configuration()), options: bounded)
      },
    ]
    for refusal in refusals {
      #expect(refusal?.code == .permissionDenied && refusal?.details?.field == "session")
    }
    _ = try await SessionsClient(anna).start(
      StartSessionRequest(session: session.session), options: bounded)
    #expect(await close(session.session, node.admin) == nil)
    // One with a name is for all who control its cameras.
    _ = try await SessionsClient(anna).configure(
      ConfigureSessionRequest(session: "door", configuration: configuration()), options: bounded)
    #expect(await close("door", bert) == nil)
    await node.stop(anna, bert)
  }

  @Test func aUserOfTheMachineIsNoClientOfThatName() {
    func owner(_ caller: Caller) -> String { context(caller).owner }
    #expect(owner(Caller(.user(0), name: "root", role: .admin)) == "user 0")
    #expect(owner(Caller(.client, name: "root", role: .control)) == "root")
    #expect(owner(Caller(.trusted, name: "", role: .control)) == "")
    #expect(!KnownClient.isName("user 0"))
  }

  @Test func onlyAnAdminDeletesWhatOthersHaveAdded() {
    func permission(_ caller: Caller, _ use: LibraryUse) -> LibraryAccess {
      LibraryRoles().permission(to: use, for: context(caller))
    }
    let (member, root) = (
      Caller(.user(1000), name: "user 1000", role: .control), Caller(.user(0), name: "root", role: .admin)
    )
    #expect(permission(member, .delete) == .limited && permission(member, .add) == .authorized)
    #expect(permission(root, .delete) == .authorized)
    #expect(permission(Caller(.trusted, name: "", role: .control), .delete) == .limited)
    #expect(permission(Caller(.client, name: "x", role: .view), .add) == .denied)
    #expect(permission(Caller(.client, name: "x", role: .admin), .delete) == .authorized)
  }
}
