import CaptureModel
import CaptureSynthetic
import CaptureSystem
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

@Suite struct LeasesEndpointTests {
  private func camera() -> FakeCamera {
    let camera = FakeCamera()
    camera.state.withLock {
      $0.controls = ["one", "two"].enumerated().map { index, name in
        ControlDescription(
          id: ControlID(rawValue: UInt32(index + 1)), name: name, label: name, type: .integer,
          maximum: 1_000_000)
      }
    }
    return camera
  }

  private func set(
    _ client: ClientConnection, _ values: [(String, Int)], token: String? = nil
  ) async throws {
    let metadata = token.map { [CallMetadata(key: "lease", value: Array($0.utf8))] } ?? []
    _ = try await DevicesClient(client).setControls(
      SetControlsRequest(
        device: "0",
        assignments: values.map { .init(name: $0.0, kind: .value(.init(kind: .integer(Int64($0.1))))) }),
      options: CallOptions(timeout: .seconds(60), metadata: metadata))
  }

  @Test(.timeLimit(.minutes(1))) func aLeaseKeepsOthersOutUntilItIsGivenBack() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    let leases = LeasesClient(fixture.client)
    let lease = try await leases.acquire(
      AcquireLeaseRequest(device: "fake", durationMs: 20_000, holder: "studio-a"), options: bounded)
    #expect(lease.device == "fake-0")
    #expect((1...20_000).contains(lease.remainingMs))
    #expect(try await leases.list(options: bounded).leases.map(\.holder) == ["studio-a"])
    #expect(try await leases.list(options: bounded).leases.map(\.token) == [""])
    #expect(try await fixture.about.status(StatusRequest(), options: bounded).leases == 1)

    let refusal = await status { try await set(fixture.client, [("one", 1)]) }
    #expect(refusal?.code == .failedPrecondition)
    #expect(refusal?.text.hasPrefix("camera 'fake-0' is leased by studio-a for another ") == true)
    // Whoever has the token may use it, on another connection too.
    let second = try await ClientConnection.connect(to: fixture.address)
    try await set(second, [("one", 2)], token: lease.token)
    let stranger = await status {
      _ = try await leases.renew(
        RenewLeaseRequest(token: lease.token, durationMs: 60_000, device: "nobody"), options: bounded)
    }
    #expect(stranger?.code == .notFound)
    #expect(try await leases.list(options: bounded).leases.first?.remainingMs ?? 60_000 <= 20_000)
    #expect(
      try await leases.renew(
        RenewLeaseRequest(token: lease.token, durationMs: 60_000, device: "fake"), options: bounded
      ).remainingMs > 50_000)

    async let waiting = leases.acquire(
      AcquireLeaseRequest(device: "0", durationMs: 100, waitMs: 30_000), options: CallOptions())
    _ = try await LeasesClient(second).release(ReleaseLeaseRequest(token: lease.token), options: bounded)
    let next = try await waiting
    #expect(next.holder.hasPrefix("client "))
    // It runs out by itself.
    await eventually("the lease runs out") {
      await status { try await set(second, [("one", 3)]) } == nil
    }
    let late = await status { try await set(second, [("one", 4)], token: next.token) }
    #expect(late?.code == .failedPrecondition)
    #expect(late?.text.contains("expired") == true)
    let unknown = await status {
      _ = try await leases.renew(RenewLeaseRequest(token: next.token), options: bounded)
    }
    #expect(unknown?.code == .notFound)
    #expect(try await fixture.about.status(StatusRequest(), options: bounded).leases == 0)
    await second.close()
    await fixture.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aLeaseEndsWithItsConnectionUnlessItWasAskedToOutliveIt() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    let leases = LeasesClient(fixture.client)
    let second = try await ClientConnection.connect(to: fixture.address)
    let bound = try await LeasesClient(second).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 80_000_000, holder: "studio-a"), options: bounded)
    #expect(!bound.outlivesConnection)
    await second.close()
    await eventually("it ends with its connection") {
      (try? await leases.list(options: bounded).leases.isEmpty) == true
    }
    let late = await status { try await set(fixture.client, [("one", 1)], token: bound.token) }
    #expect(late?.code == .failedPrecondition)
    #expect(late?.text.contains("ended with its connection") == true)

    let third = try await ClientConnection.connect(to: fixture.address)
    let tooLong = await status {
      _ = try await LeasesClient(third).acquire(
        AcquireLeaseRequest(device: "0", durationMs: 600_001, outlivesConnection: true), options: bounded)
    }
    #expect(tooLong?.code == .invalidArgument)
    #expect(tooLong?.text.contains("leases.maximum") == true)
    let kept = try await LeasesClient(third).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 600_000, holder: "studio-b", outlivesConnection: true),
      options: bounded)
    await third.close()
    await eventually("its connection is gone") {
      (try? await fixture.about.status(StatusRequest(), options: bounded).clients) == 1
    }
    let held = try await leases.list(options: bounded).leases
    #expect(held.map(\.holder) == ["studio-b"])
    #expect(held.map(\.outlivesConnection) == [true])
    try await set(fixture.client, [("one", 2)], token: kept.token)
    await fixture.stop()
  }

  /// Its client was cut off, and is back with the token before the node has noticed.
  @Test(.timeLimit(.minutes(1))) func aLeaseIsKeptByWhoRenewsItOnAnotherConnection() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    let second = try await ClientConnection.connect(to: fixture.address)
    let lease = try await LeasesClient(second).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000, holder: "studio-a"), options: bounded)
    _ = try await LeasesClient(fixture.client).renew(RenewLeaseRequest(token: lease.token), options: bounded)
    await second.close()
    await eventually("its connection is gone") {
      (try? await fixture.about.status(StatusRequest(), options: bounded).clients) == 1
    }
    try await set(fixture.client, [("one", 2)], token: lease.token)
    #expect(try await fixture.about.status(StatusRequest(), options: bounded).leases == 1)
    await fixture.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aLeaseThatIsEndedByForceTellsItsHolderByWhom() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    let (holder, other) = (
      LeasesClient(fixture.client), try await ClientConnection.connect(to: fixture.address)
    )
    let lease = try await holder.acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000, holder: "studio-a"), options: bounded)
    // A token and a camera that do not belong together.
    let stray = await status {
      _ = try await holder.release(
        ReleaseLeaseRequest(token: lease.token, device: "nothing"), options: bounded)
    }
    #expect(stray?.code == .notFound)
    let answer = try await LeasesClient(other).release(
      ReleaseLeaseRequest(device: "fake", force: true, holder: "anna@studio"), options: bounded)
    #expect(answer.lease?.holder == "studio-a")
    #expect(answer.lease?.token == "")
    #expect((1...60_000).contains(answer.lease?.remainingMs ?? 0))
    try await set(other, [("one", 1)])
    let refusals = [
      await status { try await set(fixture.client, [("one", 2)], token: lease.token) },
      await status { _ = try await holder.renew(RenewLeaseRequest(token: lease.token), options: bounded) },
      await status {
        _ = try await holder.release(ReleaseLeaseRequest(token: lease.token), options: bounded)
      },
    ]
    for refusal in refusals {
      #expect(refusal?.code == .aborted)
      #expect(refusal?.text.contains("ended by force by anna@studio") == true)
    }
    let again = await status {
      _ = try await LeasesClient(other).release(
        ReleaseLeaseRequest(device: "0", force: true), options: bounded)
    }
    #expect(again?.code == .notFound)
    await other.close()
    await fixture.stop()
  }

  @Test(.timeLimit(.minutes(1))) func tooManyWhoWaitAreRefusedNamingTheLimit() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    _ = try await LeasesClient(fixture.client).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000), options: bounded)
    var crowd: [ClientConnection] = []
    for _ in 0..<3 { crowd.append(try await ClientConnection.connect(to: fixture.address)) }
    let waits = await withTaskGroup(of: RPCError?.self) { group in
      for number in 0..<270 {
        let client = crowd[number % 3]
        group.addTask {
          await status {
            _ = try await LeasesClient(client).acquire(
              AcquireLeaseRequest(device: "0", waitMs: 50_000), options: CallOptions(timeout: .seconds(50)))
          }
        }
      }
      var refused: [RPCError] = []
      for await error in group {
        refused.append(error!)
        if refused.count == 14 { for client in crowd { await client.close() } }
      }
      return refused
    }
    #expect(
      waits.prefix(14).allSatisfy { $0.code == .resourceExhausted && $0.text.contains("leases.waiters") })
    await eventually("the crowd is gone") {
      (try? await fixture.about.status(StatusRequest(), options: bounded).calls) == 1
    }
    await fixture.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aWaitThatIsCancelledLeavesNothingBehind() async throws {
    let fixture = try await Fixture(FakeProvider([camera()]))
    let leases = LeasesClient(fixture.client)
    let lease = try await leases.acquire(AcquireLeaseRequest(device: "0"), options: bounded)
    let gaveUp = await status {
      _ = try await leases.acquire(
        AcquireLeaseRequest(device: "0", waitMs: 30_000), options: CallOptions(timeout: .milliseconds(50)))
    }
    #expect(gaveUp?.code == .deadlineExceeded)
    await eventually("its handler ends") {
      (try? await fixture.about.status(StatusRequest(), options: bounded).calls) == 1
    }
    _ = try await leases.release(ReleaseLeaseRequest(token: lease.token), options: bounded)
    try await set(fixture.client, [("one", 1)])
    #expect(try await leases.list(options: bounded).leases.isEmpty)
    await fixture.stop()
  }

  /// Each client sets a pair of controls, in two calls under a lease or in one call without.
  @Test(.timeLimit(.minutes(2))) func pairsOfAHundredClientsAreNeverMixed() async throws {
    let camera = camera()
    let fixture = try await Fixture(FakeProvider([camera]))
    let (clients, rounds) = (100, 3)
    let address = fixture.address
    try await withThrowingTaskGroup { group in
      for number in 1...clients {
        group.addTask {
          let client = try await ClientConnection.connect(to: address)
          for round in 0..<rounds {
            let value = number * rounds + round
            if number.isMultiple(of: 4) {
              let error = await status { try await set(client, [("one", value), ("two", value)]) }
              #expect(error == nil || error?.code == .failedPrecondition)
              continue
            }
            let lease = try await LeasesClient(client).acquire(
              AcquireLeaseRequest(device: "0", holder: "client \(number)", waitMs: 60_000),
              options: CallOptions(timeout: .seconds(60)))
            try await set(client, [("one", value)], token: lease.token)
            try await set(client, [("two", value)], token: lease.token)
            _ = try await LeasesClient(client).release(
              ReleaseLeaseRequest(token: lease.token), options: CallOptions(timeout: .seconds(60)))
          }
          await client.close()
        }
      }
      try await group.waitForAll()
    }
    let assignments = camera.state.withLock { $0.assignments }
    #expect(assignments.count >= clients * 3 / 4 * rounds * 2)
    for index in stride(from: 0, to: assignments.count, by: 2) {
      #expect(assignments[index].id.rawValue == 1)
      #expect(assignments[index + 1].id.rawValue == 2)
      #expect(assignments[index].value == assignments[index + 1].value)
    }
    print(
      "\(assignments.count / 2) changes of \(clients) clients under leases, in two settings each, one after the other"
    )
    await fixture.stop()
  }
}
