import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureClient

@Suite(.timeLimit(.minutes(1))) struct ResumingEventsTests {
  /// Settings with this exposure, as a watch tells them.
  static func settings(_ duration: Double, sharpness: Int64? = nil, changed: [String] = []) -> RawMessage {
    CaptureWire.SettingsEvent(
      changed: changed,
      settings: CaptureWire.CameraSettings(
        device: "a",
        exposure: ExposureSettings(mode: .custom, duration: .init(value: duration, provenance: .reported))),
      controls: sharpness.map {
        [ControlReading(id: 9, name: "sharpness", value: CaptureWire.ControlValue(.integer($0)))]
      } ?? []
    ).raw()
  }

  static func connection(_ messages: RawMessage..., node: NodeIncarnation? = nil) -> FakeConnection {
    FakeConnection(
      [SettingsMethods.watch: .init(messages: messages, ending: nil), DevicesMethods.list: list], node: node)
  }

  /// The node's list, with the camera of ``settings(_:sharpness:changed:)``.
  static var list: FakeConnection.Answer {
    .init(messages: [ListDevicesResponse(devices: [Device(id: "a", present: true)]).raw()])
  }

  @Test(arguments: [
    (NodeIncarnation(bootID: "one", startedAt: 5), false, false),
    (NodeIncarnation(bootID: "one", startedAt: 9), true, false),
    (NodeIncarnation(bootID: "two", startedAt: 5), true, true),
  ])
  func theFirstEventAfterAPauseSaysWhyAndWhatIsDifferent(
    second: NodeIncarnation, isNewNode: Bool, isNewBoot: Bool
  ) async throws {
    let first = Self.connection(
      Self.settings(0.005), Self.settings(0.006, changed: ["exposure.duration"]),
      node: NodeIncarnation(bootID: "one", startedAt: 5))
    let rig = await Rig(first)
    var events = rig.node.camera("a").settingsEvents().makeAsyncIterator()
    #expect(try await events.next()?.changed == [])
    let last = try await events.next()
    #expect(last?.changed == ["exposure.duration"] && last?.resumption == nil)
    let began = MonotonicClock.now()
    first.lose("a cable was pulled")
    rig.attempts.yield(
      .success(
        Self.connection(
          Self.settings(0.002), Self.settings(0.003, changed: ["exposure.duration"]), node: second)))
    let event = try #require(try await events.next())
    let resumption = try #require(event.resumption)
    #expect(resumption.cause == .connectionLost && resumption.missedFrames == nil)
    #expect(resumption.reason == "the connection was lost: a cable was pulled")
    #expect(resumption.isNewNode == isNewNode && resumption.isNewBoot == isNewBoot)
    #expect(resumption.settingsWereSetAgain == false)
    #expect(resumption.pause > .zero && resumption.pause <= .nanoseconds(MonotonicClock.now() - began))
    #expect(event.changed == ["exposure.duration"] && event.settings.exposure?.duration?.value == 0.002)
    let next = try await events.next()
    #expect(next?.resumption == nil && next?.settings.exposure?.duration?.value == 0.003)
    await rig.node.close()
  }

  @Test func nothingIsNamedWhereNothingIsDifferent() async throws {
    let first = Self.connection(Self.settings(0.005))
    let rig = await Rig(first)
    var events = rig.node.camera("a").settingsEvents().makeAsyncIterator()
    _ = try await events.next()
    first.lose("a cable was pulled")
    rig.attempts.yield(.success(Self.connection(Self.settings(0.005))))
    let event = try await events.next()
    #expect(event?.resumption != nil && event?.changed == [])
    await rig.node.close()
  }

  @Test func onlyWhatIsWatchedIsNamed() async throws {
    for (names, expected) in [
      (["sharpness"], ["sharpness"]), (["exposure"], ["exposure.duration", "sharpness"]),
      (["exposure.iso"], ["sharpness"]), ([], ["exposure.duration", "sharpness"]),
    ] {
      // The control is not in the last event before the pause.
      let first = Self.connection(Self.settings(0.005, sharpness: 3), Self.settings(0.005))
      let rig = await Rig(first)
      var events = rig.node.camera("a").settingsEvents(names: names).makeAsyncIterator()
      _ = try await events.next()
      #expect(try await events.next()?.controls == [])
      first.lose("a cable was pulled")
      rig.attempts.yield(.success(Self.connection(Self.settings(0.002, sharpness: 4))))
      #expect(try await events.next()?.changed == expected, "\(names)")
      await rig.node.close()
    }
  }

  @Test func withoutAPolicyALostConnectionIsTheEnd() async throws {
    let hanging = FakeConnection.Answer(ending: nil)
    let connection = FakeConnection([
      SettingsMethods.watch: hanging, SessionsMethods.events: hanging, DevicesMethods.watch: hanging,
    ])
    let node = RemoteNode(connection)
    let readers = [
      Task { for try await _ in node.camera("a").settingsEvents() {} },
      Task { for try await _ in node.session("a").events() {} },
      Task { for try await _ in node.cameraEvents() {} },
    ]
    await eventually("all have begun") { connection.requests.count == 3 }
    connection.lose("a cable was pulled")
    for reader in readers {
      let error = await failure { try await reader.value }
      #expect(error == CaptureError(.unavailable, "a cable was pulled"))
    }
  }

  @Test func aCameraThatANewNodeHasNotFoundYetIsWaitedFor() async throws {
    let first = Self.connection(Self.settings(0.005))
    let rig = await Rig(first)
    var events = rig.node.camera("a").settingsEvents().makeAsyncIterator()
    _ = try await events.next()
    first.lose("the node was restarted")
    let missing = FakeConnection.Answer(ending: .failure(RPCError(.notFound, "there is no camera 'a'")))
    let found = FakeConnection.Answer(messages: [Self.settings(0.002)], ending: nil)
    rig.attempts.yield(
      .success(
        FakeConnection(inTurn: [
          SettingsMethods.watch: [missing, missing, found], DevicesMethods.list: [Self.list],
        ])))
    let event = try await events.next()
    #expect(event?.changed == ["exposure.duration"] && event?.resumption?.cause == .connectionLost)
    await rig.node.close()
  }

  @Test func aCameraThatIsNotThereAtFirstIsNotWaitedFor() async throws {
    let missing = FakeConnection.Answer(ending: .failure(RPCError(.notFound, "there is no camera 'a'")))
    let rig = await Rig(FakeConnection([SettingsMethods.watch: missing]))
    let error = await failure { for try await _ in rig.node.camera("a").settingsEvents() {} }
    #expect(error?.code == .notFound)
    await rig.node.close()
  }

  private static func added(token: String) -> RawMessage {
    AssetEvent(kind: .added, asset: Asset(id: "a"), token: token).raw()
  }

  @Test func aLibraryThatANewNodeHasNotOpenedYetIsWaitedFor() async throws {
    let first = FakeConnection([
      LibraryMethods.watch: .init(messages: [Self.added(token: "1")], ending: nil)
    ])
    let rig = await Rig(first)
    var changes = rig.node.library.changes().makeAsyncIterator()
    _ = try await changes.next()
    first.lose("the node was restarted")
    let closed = FakeConnection.Answer(ending: .failure(RPCError(.unavailable, "its disk is not there")))
    let open = FakeConnection.Answer(messages: [Self.added(token: "2")], ending: nil)
    let second = FakeConnection(inTurn: [LibraryMethods.watch: [closed, closed, open]])
    rig.attempts.yield(.success(second))
    let change = try await changes.next()
    #expect(change?.value.token == "2" && change?.resumption?.cause == .connectionLost)
    #expect(try WatchAssetsRequest(second.requests[2]).token == "1")
    await rig.node.close()
  }

  /// At first, and after a change.
  @Test(arguments: [0, 1]) func aLibraryThatIsNotOpenIsTheEndWithoutAPause(changes: Int) async throws {
    let messages = Array(repeating: Self.added(token: "1"), count: changes)
    let closed = RPCError(.unavailable, "its disk is not there")
    let rig = await Rig(
      FakeConnection([LibraryMethods.watch: .init(messages: messages, ending: .failure(closed))]))
    let error = await failure { for try await _ in rig.node.library.changes() {} }
    #expect(error == CaptureError(.unavailable, "its disk is not there"))
    await rig.node.close()
  }

  @Test func eachReadingBeginsAnew() async throws {
    let first = Self.connection(Self.settings(0.005), Self.settings(0.006, changed: ["exposure.duration"]))
    let rig = await Rig(first)
    let events = rig.node.camera("a").settingsEvents()
    // The second one asks whether the camera is still there.
    for requests in [1, 3] {
      var reading = events.makeAsyncIterator()
      #expect(try await reading.next()?.settings.exposure?.duration?.value == 0.005)
      #expect(first.requests.count == requests)
    }
    await rig.node.close()
  }

  /// The second loss comes before anything else did.
  @Test func closingEndsAPauseThatGoesOn() async throws {
    let first = Self.connection(Self.settings(0.005))
    let rig = await Rig(first)
    let reader = Task {
      for try await _ in rig.node.camera("a").settingsEvents() { first.lose("a cable was pulled") }
    }
    let second = Self.connection()
    rig.attempts.yield(.success(second))
    await eventually("it watches again") { second.requests.count == 2 }
    second.lose("a cable was pulled again")
    await eventually("it waits again") { await rig.connection.waiters == 1 }
    await rig.node.close()
    let error = await failure { try await reader.value }
    #expect(error == CaptureError(.unavailable, "a cable was pulled again"))
  }
}
