import CaptureEngine
import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

/// What programs read of refusals, over a real node.
@Suite(.timeLimit(.minutes(1))) struct RefusalDetailsTests {
  private typealias Details = CaptureError.Details

  private static func details(_ body: () async throws -> Void) async -> Details? {
    await status(body)?.details
  }

  private func synthetic(_ spec: String = "synthetic:320x240@100") async throws -> Fixture {
    try await Fixture.synthetic(spec, hasModes: false).0
  }

  // MARK: Values

  @Test func aValueOutOfRangeComesWithTheRange() async throws {
    let fixture = try await synthetic()
    let told = await Self.details {
      let change = CaptureWire.SettingsChange(exposure: ExposureChange(time: .duration(5)))
      _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: change), options: bounded)
    }
    #expect(told?.reason == .valueOutOfRange && told?.field == "change.exposure.duration")
    #expect(told?.asked == .number(5) && told?.device == "synthetic-0")
    let range = try #require(told?.range)
    #expect(abs(range.minimum - 0.0001) < 1e-9 && abs(range.maximum - 1) < 1e-9)
    let quality = await Self.details {
      for try await _ in try await fixture.video.subscribe(
        SubscribeRequest(device: "0", rendition: Rendition(quality: 101)), options: bounded)
      {}
    }
    #expect(quality?.reason == .valueOutOfRange && quality?.field == "rendition.quality")
    #expect(quality?.range == .init(1, 100))
    await fixture.stop()
  }

  @Test func aModeThatIsNotThereComesWithThoseThatAre() async throws {
    let fixture = try await synthetic()
    let told = await Self.details {
      let change = CaptureWire.SettingsChange(exposure: ExposureChange(mode: .auto))
      _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: change), options: bounded)
    }
    #expect(told?.reason == .valueNotPossible && told?.field == "change.exposure.mode")
    #expect(told?.asked == "auto" && told?.possible == ["continuous", "custom", "locked"])
    let focus = await Self.details {
      let change = CaptureWire.SettingsChange(focus: FocusChange(mode: .continuous))
      _ = try await fixture.settings.set(SetSettingsRequest(device: "0", change: change), options: bounded)
    }
    #expect(focus?.reason == .notSupported && focus?.field == "change.focus.mode")
    await fixture.stop()
  }

  @Test func aControlSaysWhyItCannotBeSet() async throws {
    let fixture = try await synthetic()
    let devices = fixture.devices
    func set(_ name: String, _ value: Int64) async -> Details? {
      await Self.details {
        let value = CaptureWire.ControlValue(kind: .integer(value))
        _ = try await devices.setControls(
          SetControlsRequest(device: "0", assignments: [.init(name: name, kind: .value(value))]),
          options: bounded)
      }
    }
    let far = await set("brightness", 1_000_000)
    #expect(far?.reason == .valueOutOfRange && far?.field == "brightness" && far?.range != nil)
    let taken = await set("exposure_time_absolute", 10)
    #expect(taken?.reason == .controlInactive && taken?.field == "exposure_time_absolute")
    let menu = await set("auto_exposure", 77)
    #expect(menu?.reason == .valueNotPossible && menu?.possible.contains("1") == true)
    let unknown = await set("brightnes", 1)
    #expect(unknown?.reason == .unknownName && unknown?.asked == "brightnes")
    #expect(unknown?.possible == ["brightness"] && unknown?.leftOut ?? 0 > 1)
    await fixture.stop()
  }

  // MARK: Names

  @Test func aNameThatNobodyHasComesWithThoseThatThereAre() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera("fake-0"), FakeCamera("fake-1")]))
    let devices = fixture.devices
    let unknown = await Self.details {
      _ = try await devices.formats(FormatsRequest(device: "nope"), options: bounded)
    }
    #expect(
      unknown == Details(.unknownName, field: "device", asked: "nope", possible: ["fake-0", "fake-1"]))
    let ambiguous = await Self.details {
      _ = try await devices.formats(FormatsRequest(device: "fake"), options: bounded)
    }
    #expect(ambiguous?.reason == .ambiguousName && ambiguous?.possible == ["fake-0", "fake-1"])
    let missing = await Self.details { _ = try await devices.formats(FormatsRequest(), options: bounded) }
    #expect(missing?.reason == .valueMissing && missing?.field == "device")
    let profile = await Self.details {
      _ = try await fixture.settings.loadProfile(
        LoadProfileRequest(device: "0", name: "night"), options: bounded)
    }
    #expect(profile?.reason == .unknownName && profile?.field == "name" && profile?.device == "fake-0")
    let session = await Self.details {
      _ = try await SessionsClient(fixture.client).get(GetSessionRequest(session: "door"), options: bounded)
    }
    #expect(session == Details(.unknownName, field: "session", asked: "door"))
    let input = await Self.details {
      _ = try await SessionsClient(fixture.client).configure(
        ConfigureSessionRequest(
          session: "door", configuration: .init(inputs: [.init(device: "0"), .init(device: "9")])),
        options: bounded)
    }
    #expect(input?.reason == .unknownName && input?.field == "configuration.inputs[1].device")
    await fixture.stop()
  }

  @Test func inputsAreNamed() async throws {
    let fixture = try await Fixture(SyntheticProvider(cameras: [.standard]))
    let told = await Self.details {
      _ = try await fixture.devices.selectInput(
        SelectInputRequest(device: "0", input: "HDMI"), options: bounded)
    }
    #expect(told?.reason == .unknownName && told?.field == "input")
    #expect(told?.possible == ["Synthetic 0", "Synthetic 1"] && told?.device == "synthetic-0")
    await fixture.stop()
  }

  @Test func aMethodThatIsNotThereIsNamed() async throws {
    let fixture = try await synthetic()
    let method = MethodDescriptor(name: "capture.v1.Devices/Fly", kind: .unary)
    let told = await Self.details {
      _ = try await fixture.client.unary(method, RawMessage(body: []), options: bounded)
    }
    #expect(told == Details(.unknownMethod, asked: "capture.v1.Devices/Fly"))
    await fixture.stop()
  }

  // MARK: What others have

  @Test func aLeaseComesWithItsHolderAndTime() async throws {
    let fixture = try await synthetic()
    let leases = LeasesClient(fixture.client)
    let lease = try await leases.acquire(
      AcquireLeaseRequest(device: "0", durationMs: 20_000, holder: "studio-a"), options: bounded)
    func zoom(_ token: String? = nil) async -> Details? {
      await Self.details {
        let metadata = token.map { [CallMetadata(key: "lease", value: Array($0.utf8))] } ?? []
        _ = try await fixture.devices.setControls(
          SetControlsRequest(device: "0", assignments: [.init(name: "gain", kind: .literal("1"))]),
          options: CallOptions(timeout: .seconds(20), metadata: metadata))
      }
    }
    let held = await zoom()
    #expect(held?.reason == .leaseHeld && held?.holder == "studio-a" && held?.device == "synthetic-0")
    #expect(held?.remaining.map { (.zero ... .seconds(20)).contains($0) } == true)
    #expect(await zoom("0123")?.reason == .leaseUnknown)
    _ = try await leases.release(
      ReleaseLeaseRequest(device: "0", force: true, holder: "anna"), options: bounded)
    let lost = await zoom(lease.token)
    #expect(lost == Details(.leaseLost, holder: "anna", device: "synthetic-0"))
    let free = await Self.details {
      _ = try await leases.release(ReleaseLeaseRequest(device: "0", force: true), options: bounded)
    }
    #expect(free?.reason == .leaseUnknown)
    let next = try await leases.acquire(AcquireLeaseRequest(device: "0"), options: bounded)
    _ = try await leases.release(ReleaseLeaseRequest(token: next.token), options: bounded)
    #expect(await zoom(next.token)?.reason == .leaseExpired)
    let short = await Self.details {
      _ = try await leases.acquire(AcquireLeaseRequest(device: "0", durationMs: 1), options: bounded)
    }
    #expect(
      short?.reason == .valueOutOfRange && short?.field == "duration_ms" && short?.range?.minimum == 100)
    await fixture.stop()
  }

  @Test func aFormatThatSomebodyFixedComesWithHimAndWhatIsPossible() async throws {
    let fixture = try await synthetic()
    let first = try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(size: Size(width: 160, height: 120))),
      options: CallOptions())
    var frames = first.makeAsyncIterator()
    _ = try await frames.next()
    let other = try await ClientConnection.connect(to: fixture.address)
    let told = await Self.details {
      for try await _ in try await VideoClient(other).subscribe(
        SubscribeRequest(device: "0", rendition: Rendition(size: Size(width: 320, height: 240))),
        options: bounded)
      {}
    }
    #expect(told?.reason == .heldByStream && told?.field == "rendition.size" && told?.device == "synthetic-0")
    #expect(told?.asked == "320x240" && told?.possible == ["160x120"])
    #expect(told?.holder?.hasPrefix("client ") == true)
    let session = await Self.details {
      _ = try await SessionsClient(other).configure(
        ConfigureSessionRequest(session: "door", configuration: .init(inputs: [.init(device: "0")])),
        options: bounded)
    }
    #expect(session?.reason == .heldByStream && session?.holder?.hasPrefix("client ") == true)
    await other.close()
    await fixture.stop()
  }

  @Test func aSessionIsNamedThatHasTheCamera() async throws {
    let fixture = try await synthetic()
    let sessions = SessionsClient(fixture.client)
    let made = CaptureWire.SessionConfiguration(
      inputs: [.init(device: "0")], outputs: [.init(name: "video", kind: .video)])
    let state = try await sessions.configure(
      ConfigureSessionRequest(session: "door", configuration: made), options: bounded)
    let held = await Self.details {
      for try await _ in try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded) {}
    }
    #expect(held?.reason == .heldBySession && held?.holder == "door" && held?.device == "synthetic-0")
    let changed = await Self.details {
      _ = try await sessions.configure(
        ConfigureSessionRequest(session: "door", configuration: made, revision: state.revision + 7),
        options: bounded)
    }
    #expect(
      changed
        == Details(
          .revisionChanged, field: "revision", asked: .number(Double(state.revision + 7)),
          bound: state.revision))
    let output = await Self.details {
      for try await _ in try await fixture.video.subscribe(
        SubscribeRequest(session: "door", output: "wall"), options: bounded)
      {}
    }
    #expect(output == Details(.unknownName, field: "output", asked: "wall", possible: ["video"]))
    let preset = await Self.details {
      var other = made
      other.preset = .sessionPreset1920x1080
      _ = try await sessions.configure(
        ConfigureSessionRequest(session: "door", configuration: other), options: bounded)
    }
    #expect(preset?.reason == .valueNotPossible && preset?.field == "configuration.preset")
    await fixture.stop()
  }

  // MARK: Limits

  @Test func aLimitIsNamedWithItsBound() async throws {
    let fixture = try await synthetic()
    let sessions = SessionsClient(fixture.client)
    let list = await Self.details {
      _ = try await fixture.devices.getControls(
        GetControlsRequest(device: "0", names: Array(repeating: "gain", count: 300)), options: bounded)
    }
    #expect(list == Details(.limitReached, limit: "listEntries", bound: 256))
    let outputs = (0..<17).map { SessionOutput(name: "v\($0)", kind: .video) }
    let many = await Self.details {
      _ = try await sessions.configure(
        ConfigureSessionRequest(
          session: "door", configuration: .init(inputs: [.init(device: "0")], outputs: outputs)),
        options: bounded)
    }
    #expect(
      many == Details(.limitReached, field: "configuration.outputs", limit: "outputsPerSession", bound: 16))
    var streams: [ResponseStream<VideoFrame>.AsyncIterator] = []
    for quality in 1...8 {
      var stream = try await fixture.video.subscribe(
        SubscribeRequest(device: "0", rendition: Rendition(quality: UInt32(quality))), options: CallOptions()
      ).makeAsyncIterator()
      _ = try await stream.next()
      streams.append(stream)
    }
    let ninth = await Self.details {
      for try await _ in try await fixture.video.subscribe(
        SubscribeRequest(device: "0", rendition: Rendition(quality: 99)), options: bounded)
      { break }
    }
    #expect(ninth?.reason == .limitReached && ninth?.limit == "renditionsPerConnection" && ninth?.bound == 8)
    #expect(ninth?.device == "synthetic-0")
    withExtendedLifetime(streams) {}
    await fixture.stop()
  }

  @Test func eachLimitGivesItsName() {
    for limit in NodeLimit.allCases {
      let details = limit.exceeded(bound: 7, "too many").details
      #expect(details == Details(.limitReached, limit: limit.rawValue, bound: 7))
    }
  }

  // MARK: The camera and the node

  @Test func aCameraThatIsGoneOrBlindSaysSo() async throws {
    let camera = FakeCamera()
    let provider = FakeProvider([camera])
    camera.state.withLock { state in
      state.inputs = [
        CaptureModel.CameraInput(index: 0, name: "HDMI 0", isSelected: true, status: .noSignal)
      ]
    }
    let fixture = try await Fixture(provider)
    func photo() async -> Details? {
      await Self.details {
        for try await _ in try await fixture.photos.capture(
          CapturePhotoRequest(device: "0"), options: bounded)
        {}
      }
    }
    #expect(await photo() == Details(.noSignal, device: "fake-0"))
    let busy = CaptureError(.failedPrecondition, "busy", Details(.cameraBusy, holder: "cheese (7)"))
    camera.state.withLock { state in
      state.inputs[0].status = .ready
      state.startError = busy
    }
    #expect(await photo() == Details(.cameraBusy, holder: "cheese (7)", device: "fake-0"))
    provider.unplug(camera)
    await eventually("it is gone") { await photo() == Details(.cameraUnplugged, device: "fake-0") }
    await fixture.stop()
  }

  @Test func aNodeThatDrainsSaysSo() async throws {
    let fixture = try await synthetic()
    let watch = try await fixture.settings.watch(WatchSettingsRequest(device: "0"), options: CallOptions())
    var events = watch.makeAsyncIterator()
    _ = try await events.next()
    async let told = Self.details { while try await events.next() != nil {} }
    await fixture.node.drain(grace: .seconds(20))
    #expect(await told?.reason == .nodeDraining)
  }

  @Test func aFullDiskIsTold() async throws {
    let fixture = try await Fixture(FakeProvider([FakeCamera()]), store: FullDisk())
    let told = await Self.details {
      _ = try await fixture.settings.saveProfile(
        SaveProfileRequest(device: "0", name: "night"), options: bounded)
    }
    #expect(told == Details(.diskFull, device: "fake-0"))
    await fixture.stop()
  }

  @Test func aNodeThatCannotKeepAnythingSaysSo() async throws {
    let store = DiscardingStore(StoreFailure("/none/state.json: nothing can be kept there", since: 1))
    let fixture = try await Fixture(FakeProvider([FakeCamera()]), store: store)
    let told = await Self.details {
      _ = try await fixture.settings.saveProfile(
        SaveProfileRequest(device: "0", name: "night"), options: bounded)
    }
    #expect(told == Details(.stateNotWritable, device: "fake-0"))
    #expect(
      try await fixture.settings.listProfiles(ListProfilesRequest(device: "0"), options: bounded).profiles
        .isEmpty)
    let sessions = SessionsClient(fixture.client)
    let configuration = CaptureWire.SessionConfiguration(inputs: [SessionInput(device: "0")])
    let refused = await Self.details {
      _ = try await sessions.configure(
        ConfigureSessionRequest(session: "door", configuration: configuration), options: bounded)
    }
    #expect(refused == Details(.stateNotWritable))
    // One that ends with its connection needs nothing of the disk, and the camera is free for it.
    let unnamed = try await sessions.configure(
      ConfigureSessionRequest(configuration: configuration), options: bounded)
    #expect(try await sessions.list(options: bounded).sessions.map(\.session) == [unnamed.session])
    let failure = try await fixture.about.status(StatusRequest(), options: bounded).stateFailure
    #expect(failure?.message == store.failure?.message)
    await fixture.stop()
  }
}

/// A store whose disk has no room.
private struct FullDisk: MemoryStore {
  func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
  func save(_ memory: CameraMemory, of camera: CameraID) {}
  var sessions: [String: SessionMemory] { [:] }
  func save(_ session: SessionMemory?, named name: String) {}
  nonisolated(nonsending) func flush() async throws(CaptureError) {
    throw CaptureError(.unavailable, "full", .init(.diskFull))
  }
}
