import CaptureEngine
import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct SessionsEndpointTests {
  private func configuration(_ camera: String) -> CaptureWire.SessionConfiguration {
    CaptureWire.SessionConfiguration(
      inputs: [SessionInput(device: camera, format: ActiveFormat(size: Size(width: 320, height: 240)))],
      outputs: [SessionOutput(name: "video", kind: .video), SessionOutput(name: "photo", kind: .photo)])
  }

  @Test func aSessionIsMadeStartedWatchedAndClosed() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let sessions = SessionsClient(fixture.client)
    let made = try await sessions.configure(
      ConfigureSessionRequest(session: "door", configuration: configuration("0")), options: bounded)
    #expect(made.session == "door" && made.named && !made.running && made.revision == 1)
    var events = try await sessions.events(SessionEventsRequest(session: "door"), options: bounded)
      .makeAsyncIterator()
    #expect(try await events.next()?.kind == .state)

    let stream = try await fixture.video.subscribe(SubscribeRequest(session: "door"), options: bounded)
    var frames = stream.makeAsyncIterator()
    let waiting = try await frames.next()
    #expect(waiting?.data == nil && waiting?.discontinuity == .interrupted)
    let started = try await sessions.start(StartSessionRequest(session: "door"), options: bounded)
    #expect(started.running && started.activeFormats.first?.size == Size(width: 320, height: 240))
    #expect(try await events.next()?.kind == .started)
    #expect(try await frames.next()?.info?.size == Size(width: 320, height: 240))

    var photo: PhotoEvent?
    for try await event in try await fixture.photos.capture(
      CapturePhotoRequest(session: "door", output: "photo"), options: bounded)
    { photo = event }
    #expect(photo?.stage == .photo && photo?.data?.bytes.starts(with: [0xFF, 0xD8]) == true)

    #expect(try await sessions.list(options: bounded).sessions.map(\.session) == ["door"])
    _ = try await sessions.close(CloseSessionRequest(session: "door"), options: bounded)
    let last = try await events.next()
    #expect(last?.kind == .closed)
    #expect(try await events.next() == nil)
    let end = await status { while try await frames.next() != nil {} }
    #expect(end?.code == .unavailable)
    await fixture.stop()
  }

  @Test func aSessionThatHasToBeNewIsNotMadeOfAnother() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let sessions = SessionsClient(fixture.client)
    func make(dryRun: Bool = false) async -> RPCError? {
      await status {
        _ = try await sessions.configure(
          ConfigureSessionRequest(
            session: "door", configuration: configuration("0"), dryRun: dryRun, create: true),
          options: bounded)
      }
    }
    #expect(await make(dryRun: true) == nil)
    #expect(await make() == nil)
    let revision = try await sessions.get(GetSessionRequest(session: "door"), options: bounded).revision
    for dryRun in [false, true] {
      let error = await make(dryRun: dryRun)
      #expect(error?.code.rawValue == CaptureError.Code.alreadyExists.rawValue)
      #expect(error?.details?.reason == .nameTaken && error?.details?.asked == .text("door"))
    }
    #expect(try await sessions.get(GetSessionRequest(session: "door"), options: bounded).revision == revision)
    await fixture.stop()
  }

  @Test func aDryRunSaysWhatWouldBeAndChangesNothing() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let sessions = SessionsClient(fixture.client)
    let new = try await sessions.configure(
      ConfigureSessionRequest(session: "door", configuration: configuration("0"), start: true, dryRun: true),
      options: bounded)
    #expect(new.running && new.revision == 1)
    #expect(new.activeFormats.first?.size == Size(width: 320, height: 240))
    #expect(new.connectionLimits.map(\.output) == ["video", "photo"])
    #expect(new.connectionLimits.first?.orientations == [0, 90, 180, 270])
    #expect(new.connectionLimits.first?.maximumCropFactor == 16)
    #expect(new.inputMedia == [.video] && new.outputMedia == [.video, .video])
    #expect(try await sessions.list(options: bounded).sessions.isEmpty)
    // The camera is free for others.
    let made = try await sessions.configure(
      ConfigureSessionRequest(session: "gate", configuration: configuration("0")), options: bounded)
    let taken = await status {
      _ = try await sessions.configure(
        ConfigureSessionRequest(session: "door", configuration: configuration("0"), dryRun: true),
        options: bounded)
    }
    #expect(taken?.code == .failedPrecondition && taken?.text.contains("gate") == true)
    var other = configuration("0")
    other.preset = .init(rawValue: 0)
    other.outputs.removeLast()
    let checked = try await sessions.configure(
      ConfigureSessionRequest(session: "gate", configuration: other, revision: made.revision, dryRun: true),
      options: bounded)
    #expect(made.connectionLimits == new.connectionLimits && checked.connectionLimits.count == 1)
    #expect(checked.revision == made.revision + 1 && checked.configuration?.outputs.count == 1)
    let state = try await sessions.get(GetSessionRequest(session: "gate"), options: bounded)
    #expect(state.revision == made.revision && state.configuration?.outputs.count == 2 && !state.running)
    let stale = await status {
      _ = try await sessions.configure(
        ConfigureSessionRequest(session: "gate", configuration: other, revision: 77, dryRun: true),
        options: bounded)
    }
    #expect(stale?.code == .aborted)
    await fixture.stop()
  }

  @Test func everyPresetHasItsFormatOrItsReason() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let sessions = SessionsClient(fixture.client)
    let presets = try await sessions.presets(PresetsRequest(device: "0"), options: bounded).presets
    #expect(presets.map(\.preset.rawValue) == Array(1...11))
    for support in presets {
      #expect((support.format == nil) == !support.refusal.isEmpty)
      var wanted = configuration("0")
      (wanted.inputs[0].format, wanted.preset) = (nil, support.preset)
      let request = ConfigureSessionRequest(configuration: wanted, dryRun: true)
      var made: SessionState?
      let refusal = await status { made = try await sessions.configure(request, options: bounded) }
      #expect(refusal?.text ?? "" == support.refusal)
      #expect(made?.activeFormats.first == support.format)
    }
    #expect(presets.contains { $0.format != nil } && presets.contains { $0.format == nil })
    await fixture.stop()
  }

  @Test func aSessionWithoutANameEndsWithItsConnection() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let other = try await ClientConnection.connect(to: fixture.address)
    let made = try await SessionsClient(other).configure(
      ConfigureSessionRequest(configuration: configuration("0"), start: true), options: bounded)
    #expect(made.running && !made.named)
    let frames = try await fixture.video.subscribe(
      SubscribeRequest(session: made.session, output: "video"), options: bounded)
    var iterator = frames.makeAsyncIterator()
    #expect(try await iterator.next()?.info?.size == Size(width: 320, height: 240))
    await other.close()
    let end = await status { while try await iterator.next() != nil {} }
    #expect(end?.code == .unavailable)
    #expect(end?.text.contains("owner's connection") == true)
    // The session lets the camera go while it tells its subscribers.
    var refused: RPCError?
    await eventually("the camera is free again") {
      refused = await status {
        var direct = try await fixture.video.subscribe(SubscribeRequest(device: "0"), options: bounded)
          .makeAsyncIterator()
        _ = try await direct.next()
      }
      return refused?.code != .failedPrecondition
    }
    #expect(refused == nil)
    await fixture.stop()
  }

  /// Has a session of a camera that does not come.
  private struct Waiting: MemoryStore {
    let sessions = [
      "door": SessionMemory(
        CaptureModel.SessionConfiguration(inputs: [.init(camera: "gone")]), isRunning: true,
        owner: "client 1")
    ]
    func memory(of camera: CameraID) -> CameraMemory { CameraMemory() }
    func save(_ memory: CameraMemory, of camera: CameraID) {}
    func save(_ session: SessionMemory?, named name: String) {}
    nonisolated(nonsending) func flush() async throws(CaptureError) {}
  }

  @Test func aSessionThatWaitsForItsCameraIsSeenAndClosed() async throws {
    let fixture = try await Fixture(SyntheticProvider(cameras: []), store: Waiting())
    let sessions = SessionsClient(fixture.client)
    let listed = try await sessions.list(options: bounded).sessions
    #expect(listed.map(\.session) == ["door"])
    #expect(listed.first?.running == true && listed.first?.interruption == "'gone' is not there")
    let got = try await sessions.get(GetSessionRequest(session: "door"), options: bounded)
    #expect(got == listed.first)
    let start = await status {
      _ = try await sessions.start(StartSessionRequest(session: "door"), options: bounded)
    }
    #expect(start?.code == .unavailable && start?.text.contains("'gone' is not there") == true)
    _ = try await sessions.close(CloseSessionRequest(session: "door"), options: bounded)
    #expect(try await sessions.list(options: bounded).sessions.isEmpty)
    await fixture.stop()
  }

  @Test func whatCannotBeIsRefusedWithTheReason() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let sessions = SessionsClient(fixture.client)
    for (request, code, text) in [
      (ConfigureSessionRequest(session: "door"), StatusCode.invalidArgument, "configuration is missing"),
      (ConfigureSessionRequest(session: "door", configuration: configuration("9")), .notFound, "'9'"),
      (
        ConfigureSessionRequest(session: "a b", configuration: configuration("0")), .invalidArgument,
        "cannot be a session's name"
      ),
      (
        ConfigureSessionRequest(session: "door", configuration: configuration("0"), revision: 3), .aborted,
        "no session 'door'"
      ),
    ] {
      let error = await status { _ = try await sessions.configure(request, options: bounded) }
      #expect(error?.code == code && error?.text.contains(text) == true, "\(String(describing: error))")
    }
    #expect(try await sessions.list(options: bounded).sessions.isEmpty)
    let both = await status {
      for try await _ in try await fixture.video.subscribe(
        SubscribeRequest(device: "0", session: "door"), options: bounded)
      {}
    }
    #expect(both?.code == .invalidArgument)
    await fixture.stop()
  }
}
