import CaptureAccess
import CaptureModel
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureNode

/// Grants over connections: what makes them, what shows them, what holds.
@Suite(.timeLimit(.minutes(1))) struct GrantCallsTests {
  /// It sees camera 0, and may be given more.
  private static let first = [AccessGrant(.view, cameras: CameraScope(["*-0"]), media: [.video])]

  private func calls(_ client: ClientConnection) -> AccessClient { AccessClient(client) }

  private func locks(_ client: ClientConnection, _ camera: String) async -> StatusCode {
    let refused = await status {
      _ = try await LeasesClient(client).acquire(
        AcquireLeaseRequest(device: camera, durationMs: 1000), options: bounded)
    }
    return refused?.code ?? .ok
  }

  @Test func anApprovalAddsAndWidensNothingElse() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", Self.first)
    let asked = try await calls(anna).request(
      AccessRequest(cameras: ["*-1"], role: .control, media: [.video]), options: bounded)
    #expect(asked.wanted?.media == [.video])
    let pending = try await calls(node.admin).pending(PendingAccessRequest(), options: bounded).requests[0]
    let expected = [
      Grant(role: .view, cameras: ["*-0"], media: [.video]),
      Grant(role: .control, cameras: ["*-1"], media: [.video]),
    ]
    #expect(pending.grants == [expected[0]] && pending.approved == expected)
    let decided = try await calls(node.admin).decide(
      DecideAccessRequest(client: "anna", approve: true), options: bounded)
    #expect(decided.grants == expected)
    #expect(await locks(anna, "synthetic-1") == .ok)
    #expect(await locks(anna, "synthetic-0") == .permissionDenied, "it still only sees that")
    let told = try await calls(anna).status(AccessStatusRequest(), options: bounded)
    #expect(told.grants == expected && told.role == .control && told.cameras == ["*-0", "*-1"])
    let clients = try await calls(node.admin).clients(ListClientsRequest(), options: bounded).clients
    #expect(clients.map(\.grants) == [expected])
    await node.stop(anna)
  }

  @Test func aRefusalNamesTheMediumToAskFor() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", Self.first)
    let list = await status {
      _ = try await LibraryClient(anna).list(ListAssetsRequest(), options: bounded)
    }
    #expect(list?.text.hasSuffix("capturectl access request --medium library") == true, "\(list?.text ?? "")")
    let lock = await status {
      _ = try await LeasesClient(anna).acquire(
        AcquireLeaseRequest(device: "0", durationMs: 1), options: bounded)
    }
    #expect(
      lock?.text.hasSuffix("access request --role control --medium video") == true, "\(lock?.text ?? "")")
    await node.stop(anna)
  }

  /// A camera that the client has another medium of is new to it all the same.
  @Test func whoDecidesIsToldWhichCamerasComeByAMedium() async throws {
    let node = try await NodeWithClients()
    let archive = try await node.client(
      "archive", [AccessGrant(.view, cameras: CameraScope(["*-0"]), media: [.library])])
    _ = try await calls(archive).request(AccessRequest(media: [.video]), options: bounded)
    let pending = try await calls(node.admin).pending(PendingAccessRequest(), options: bounded).requests
    #expect(pending.map(\.devices) == [["synthetic-0"]])
    await node.stop(archive)
  }

  @Test func aMediumIsAskedForAndTold() async throws {
    let node = try await NodeWithClients()
    let anna = try await node.client("anna", Self.first)
    func library() async throws -> CaptureWire.AuthorizationStatus {
      try await calls(anna).status(
        AccessStatusRequest(device: "*-0", medium: .library), options: bounded
      ).authorization
    }
    #expect(try await library() == .notDetermined)
    let asked = try await calls(anna).request(AccessRequest(media: [.library]), options: bounded)
    #expect(asked.authorization == .notDetermined && asked.reason.contains("nobody has decided"))
    _ = try await calls(node.admin).decide(
      DecideAccessRequest(client: "anna", approve: true), options: bounded)
    #expect(try await library() == .authorized)
    let had = try await calls(anna).request(AccessRequest(media: [.library]), options: bounded)
    #expect(had.authorization == .authorized && had.wanted == nil)
    for (request, field) in [
      (AccessRequest(media: [Medium(rawValue: 9)]), "media"),
      (AccessRequest(withdraw: true, media: [.video]), "withdraw"),
    ] {
      let refused = await status { _ = try await calls(anna).request(request, options: bounded) }
      #expect(refused?.code == .invalidArgument && refused?.details?.field == field)
    }
    await node.stop(anna)
  }

  /// It sees one of the session's cameras. That it reads what is kept of the other one does not show it the session.
  @Test func anErrorIsOfWhatTheCallerSeesOfItsMedium() async throws {
    let node = try await NodeWithClients()
    let desk = try await node.client("desk", Self.first + [AccessGrant(.view, media: [.library])])
    _ = try await SessionsClient(node.admin).configure(
      ConfigureSessionRequest(
        session: "dome",
        configuration: CaptureWire.SessionConfiguration(
          inputs: [SessionInput(device: "synthetic-0"), SessionInput(device: "synthetic-1")],
          outputs: [SessionOutput(name: "live", kind: .video)],
          connections: [CaptureWire.SessionConnection(device: "synthetic-1", output: "live")]), start: true),
      options: bounded)
    let refused = await status {
      for try await _ in try await VideoClient(desk).subscribe(
        SubscribeRequest(device: "0"), options: bounded)
      {}
    }
    #expect(refused?.text.contains("another client's session") == true, "\(refused?.text ?? "it was taken")")
    #expect(refused?.text.contains("dome") == false && refused?.details?.holder != "dome")
    await node.stop(desk)
  }

  @Test func aLocalUserHasOneGrant() async throws {
    let node = try await NodeWithClients()
    let told = try await calls(node.admin).status(AccessStatusRequest(), options: bounded)
    #expect(told.grants == [Grant(role: .admin, media: [.video, .library])])
    await node.stop()
  }

  @Test(arguments: [
    (NewPairingRequest(role: .view, grants: [Grant(role: .view)]), "grants", "take the place"),
    (NewPairingRequest(cameras: ["*-0"], grants: [Grant(role: .view)]), "grants", "take the place"),
    (NewPairingRequest(grants: [Grant()]), "grants[0].role", "no role 0"),
    (NewPairingRequest(grants: [Grant(role: Role(rawValue: 9))]), "grants[0].role", "view, control"),
    (
      NewPairingRequest(grants: [Grant(role: .view), Grant(role: .admin)]), "grants[1].role",
      "view or control"
    ),
    (
      NewPairingRequest(grants: [Grant(role: .view, media: [Medium(rawValue: 9)])]), "grants[0].media",
      "video, library"
    ),
    (NewPairingRequest(grants: [Grant(role: .view, cameras: ["a b"])]), "grants[0].cameras", "'a b'"),
  ])
  func badGrantsAreRefused(request: NewPairingRequest, field: String, word: String) async throws {
    do throws(CaptureError) {
      _ = try request.asked()
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .invalidArgument && error.details?.field == field, "\(error)")
      #expect(error.message.contains(word), "\(error.message)")
    }
  }

  @Test(arguments: [
    (
      NewPairingRequest(grants: (0..<33).map { Grant(role: .view, cameras: ["c\($0)"]) }), "grants"
    ),
    (
      NewPairingRequest(grants: [Grant(role: .view, cameras: (0..<33).map { "c\($0)" })]), "grants[0].cameras"
    ),
    (NewPairingRequest(role: .view, cameras: (0..<33).map { "c\($0)" }), "cameras"),
  ])
  func tooManyPatternsAreRefusedByTheLimitsName(request: NewPairingRequest, field: String) async throws {
    let limit = NodeLimit.patternsPerClient
    do throws(CaptureError) {
      _ = try request.asked()
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .resourceExhausted && error.message.hasSuffix("(\(limit.rawValue))"), "\(error)")
      #expect(error.details == limit.exceeded("").about(field: field).details)
    }
  }

  @Test func whoIsNoAdminGivesNoGrants() async throws {
    let node = try await NodeWithClients()
    let desk = try await node.client("desk", [AccessGrant(.control, media: [.video]), AccessGrant(.view)])
    let refused = await status {
      _ = try await calls(desk).newPairing(
        NewPairingRequest(grants: [Grant(role: .view)]), options: bounded)
    }
    #expect(refused?.code == .permissionDenied)
    await node.stop(desk)
  }

  /// An older node ignores grants, and would give control of everything: its answer has none.
  @Test func anOlderNodeGivesNoLineForGrants() async throws {
    let asked = NewPairingRequest(grants: [Grant(role: .view)])
    do throws(RPCError) {
      try NewPairingResponse().requireGrants(of: asked)
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .failedPrecondition && error.text.contains("systemctl restart"), "\(error)")
    }
    #expect(throws: Never.self) { try NewPairingResponse().requireGrants(of: NewPairingRequest()) }
    #expect(throws: Never.self) { try NewPairingResponse(grants: asked.grants).requireGrants(of: asked) }
  }

  @Test func theExcessOfPairingCodesIsRefusedByTheLimitsName() async throws {
    let node = try await NodeWithClients()
    let request = NewPairingRequest(grants: [Grant(role: .view)])
    for _ in 0..<NodeLimit.pairingCodes.usual {
      _ = try await calls(node.admin).newPairing(request, options: bounded)
    }
    let refused = await status { _ = try await calls(node.admin).newPairing(request, options: bounded) }
    #expect(refused?.code == .resourceExhausted && refused?.text.contains("(pairingCodes)") == true)
    let (details, bound) = (refused?.details, UInt64(NodeLimit.pairingCodes.usual))
    #expect(details?.reason == .limitReached && details?.limit == "pairingCodes" && details?.bound == bound)
    await node.stop()
  }

  @Test func nobodyIsKnownForLongerThanWhoMadeHim() async throws {
    let node = try await NodeWithClients()
    let boss = try await node.client("boss", [AccessGrant(.admin)], for: 7_200)
    for seconds: UInt64 in [0, 7_000] {
      let refused = await status {
        _ = try await calls(boss).newPairing(
          NewPairingRequest(clientSeconds: seconds, grants: [Grant(role: .view)]), options: bounded)
      }
      #expect(refused?.code == .permissionDenied && refused?.details?.field == "client_seconds")
    }
    await node.stop(boss)
  }
}
