import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Synchronization
import Testing

@testable import CaptureClient

@Suite(.timeLimit(.minutes(1))) struct FrameResumptionTests {
  private static func frame(_ sequence: UInt64, at time: UInt64, restorations: UInt32 = 0) -> RawMessage {
    VideoFrame(
      info: CaptureWire.FrameInfo(sequence: sequence, timestampNs: time, timestampClock: .monotonic),
      restorations: restorations, data: Payload(copying: [1])
    ).raw()
  }

  private static func camera(_ frames: RawMessage..., node: UInt64 = 1) -> FakeConnection {
    FakeConnection(
      [VideoMethods.subscribe: .init(messages: frames, ending: nil)],
      node: NodeIncarnation(bootID: "one", startedAt: node))
  }

  @Test(
    arguments: [
      // The numbering went on; the very next frame; another node; a stream that began anew, with a low number,
      // at an earlier time, with a high number.
      (12, 900, 1, 3), (9, 600, 1, 0), (12, 900, 2, nil), (0, 900, 1, nil), (12, 100, 1, nil),
      (30, 9000, 1, nil),
    ] as [(UInt64, UInt64, UInt64, UInt64?)])
  func missedFramesAreCountedWhereTheNumberingWentOn(
    sequence: UInt64, time: UInt64, node: UInt64, missed: UInt64?
  ) async throws {
    let first = Self.camera(Self.frame(7, at: 400), Self.frame(8, at: 500))
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    #expect(try await frames.next()?.resumption == nil)
    first.lose("a cable was pulled")
    rig.attempts.yield(
      .success(
        Self.camera(Self.frame(sequence, at: time), Self.frame(sequence + 1, at: time + 1), node: node)))
    let resumption = try #require(try await frames.next()?.resumption)
    #expect(resumption.cause == .connectionLost && resumption.isNewNode == (node == 2))
    #expect(resumption.missedFrames == missed)
    #expect(try await frames.next()?.resumption == nil)
    await rig.node.close()
  }

  @Test(
    arguments: [
      // The node's count before and after, and whether it is another node's.
      (0, 0, false, false), (0, 1, false, true), (3, 3, false, false), (3, 0, true, false),
      (3, 3, true, true),
    ] as [(UInt32, UInt32, Bool, Bool)])
  func whetherSettingsWereSetAgainIsWhatTheNodeTells(
    before: UInt32, after: UInt32, isNewNode: Bool, wereSetAgain: Bool
  ) async throws {
    let first = Self.camera(Self.frame(7, at: 400, restorations: before), Self.frame(8, at: 500))
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    _ = try await frames.next()
    first.lose("a cable was pulled")
    rig.attempts.yield(
      .success(Self.camera(Self.frame(12, at: 900, restorations: after), node: isNewNode ? 2 : 1)))
    #expect(try await frames.next()?.resumption?.settingsWereSetAgain == wereSetAgain)
    await rig.node.close()
  }

  @Test func aCameraThatCameBackDuringALossHasANewStream() async throws {
    let first = Self.camera(Self.frame(8, at: 500))
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    first.lose("a cable was pulled")
    let back = FakeConnection.Answer(messages: [Self.frame(12, at: 900)], ending: nil)
    rig.attempts.yield(
      .success(
        FakeConnection(
          inTurn: [VideoMethods.subscribe: [Self.unplugged, back]],
          node: NodeIncarnation(bootID: "one", startedAt: 1))))
    let resumption = try #require(try await frames.next()?.resumption)
    #expect(resumption.cause == .connectionLost && !resumption.isNewNode)
    #expect(resumption.settingsWereSetAgain == false && resumption.missedFrames == nil)
    await rig.node.close()
  }

  @Test(arguments: [true, false]) func aStreamGoesOnWhenItsCameraIsBack(hasSettings: Bool) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    if hasSettings { try await node.camera("0").change(Self.brief) }
    var frames = node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    await live.provider.camera(0)?.inject(.unplug(.milliseconds(100)))
    var frame = try #require(try await frames.next())
    while frame.resumption == nil { frame = try #require(try await frames.next()) }
    let resumption = try #require(frame.resumption)
    #expect(resumption.cause == .cameraUnplugged && resumption.settingsWereSetAgain == hasSettings)
    #expect(!resumption.isNewNode && !resumption.isNewBoot && resumption.missedFrames == nil)
    #expect(resumption.reason.contains("unplugged"))
    #expect(frame.discontinuity == StreamDiscontinuity(.resumed, reason: resumption.reason))
    #expect(try await frames.next()?.resumption == nil)
    await live.stop()
  }

  private static var brief: CaptureModel.SettingsChange {
    var change = CaptureModel.SettingsChange()
    change.exposure.duration = 0.003
    return change
  }

  /// The outage is longer than the stream's timeout. A session's stream waits on the node, that of a camera here.
  @Test(arguments: [true, false], [true, false])
  func aLongOutageIsToldOnceAndSurvived(isOfSession: Bool, hasSettings: Bool) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    if hasSettings { try await node.camera("0").change(Self.brief) }
    let session = try await node.makeSession("door", start: isOfSession) {
      configuration throws(CaptureError) in
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
    let output = isOfSession ? session.videoOutput : node.camera("0").videoOutput
    if !isOfSession { try await session.close() }
    let told = Mutex<[String]>([])
    let options = StreamOptions(timeout: .seconds(3)) { reason in told.withLock { $0.append(reason) } }
    var frames = output.frames(options: options).makeAsyncIterator()
    _ = try await frames.next()
    await live.provider.camera(0)?.inject(.unplug(.seconds(60)))
    let plugging = Task { [provider = live.provider] in
      await eventually("it is told") { told.withLock { !$0.isEmpty } }
      let begun = ContinuousClock.now
      await eventually("it takes longer than the timeout") { .now - begun > .milliseconds(3500) }
      provider.plugIn(0)
    }
    var frame = try #require(try await frames.next())
    while frame.resumption == nil { frame = try #require(try await frames.next()) }
    await plugging.value
    let resumption = try #require(frame.resumption)
    #expect(resumption.cause == .cameraUnplugged && resumption.settingsWereSetAgain == hasSettings)
    #expect(resumption.pause > .seconds(2) && resumption.pause < .seconds(30))
    #expect(!resumption.isNewNode && !resumption.isNewBoot && resumption.missedFrames == nil)
    #expect(resumption.reason.contains("unplugged") && frame.discontinuity?.kind == .resumed)
    #expect(told.withLock { $0.count } == 1)
    #expect(try await frames.next()?.resumption == nil)
    await live.stop()
  }

  @Test(arguments: [true, false]) func aStreamSaysThatItsCameraIsAway(isOfSession: Bool) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let session = try await node.makeSession("door", start: isOfSession) {
      configuration throws(CaptureError) in
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
    let stream = (isOfSession ? session.videoOutput : node.camera("0").videoOutput).frames()
    if !isOfSession { try await session.close() }
    let frames = Atomic(0)
    let reader = Task { for try await _ in stream { frames.add(1, ordering: .relaxed) } }
    await eventually("frames come") { frames.load(ordering: .relaxed) > 1 }
    // An expectation that fails prints what it has; a stream's state cannot be.
    #expect({ !stream.isAway }())
    await live.provider.camera(0)?.inject(.unplug(.seconds(60)))
    await eventually("the camera is away") { stream.isAway }
    reader.cancel()
    #expect(await failure { try await reader.value }?.code == .cancelled)
    #expect({ stream.isAway }())
    await live.stop()
  }

  @Test func aSessionThatDoesNotRunIsNotWaitedForForEver() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let session = try await node.makeSession("door") { configuration throws(CaptureError) in
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
    let error = await failure { for try await _ in session.videoOutput.frames(options: Self.impatient) {} }
    #expect(error?.code == .deadlineExceeded)
    await live.stop()
  }

  @Test(arguments: [true, false])
  func aWatchOfSettingsTellsThatItsCameraIsBack(hasSettings: Bool) async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    if hasSettings { try await node.camera("0").change(Self.brief) }
    var events = node.camera("0").settingsEvents(names: ["exposure.mode"]).makeAsyncIterator()
    #expect(try await events.next()?.resumption == nil)
    await live.provider.camera(0)?.inject(.unplug(.seconds(60)))
    await eventually("it is away") { (try? await node.cameras().first?.info?.isPresent) == false }
    let gone = ContinuousClock.now
    await eventually("some time goes by") { .now - gone > .milliseconds(200) }
    live.provider.plugIn(0)
    var event = try #require(try await events.next())
    while event.resumption == nil { event = try #require(try await events.next()) }
    let resumption = try #require(event.resumption)
    #expect(resumption.cause == .cameraUnplugged && resumption.settingsWereSetAgain == hasSettings)
    #expect(resumption.pause >= .milliseconds(100) && resumption.missedFrames == nil && event.changed == [])
    await live.stop()
  }

  @Test func aStreamGoesOnAfterItsConnectionWasCut() async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client()
    let (other, _) = try await live.client()
    // The camera goes on for another client.
    let (kept, keeps) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let keeping = Task {
      defer { keeps.finish() }
      for try await _ in other.camera("0").videoOutput.frames() { keeps.yield() }
    }
    _ = await kept.first { true }
    var frames = node.camera("0").videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    var last = try #require(try await frames.next())
    await cable.cut()
    var frame = try #require(try await frames.next())
    // What had come before the cut is read first.
    while frame.resumption == nil {
      last = frame
      frame = try #require(try await frames.next())
    }
    #expect(frame.resumption?.cause == .connectionLost)
    #expect(frame.resumption?.missedFrames == frame.info.sequence - last.info.sequence - 1)
    keeping.cancel()
    await live.stop()
  }

  @Test func aStreamGoesOnWithTheNodeThatTakesOver() async throws {
    let (old, new) = (try await LiveNode(), try await LiveNode())
    let (node, cable) = try await old.client()
    var frames = node.camera("0").videoOutput.frames().makeAsyncIterator()
    var settings = node.camera("0").settingsEvents().makeAsyncIterator()
    _ = try await frames.next()
    _ = try await settings.next()
    let (other, _) = try await new.client()
    try await other.camera("0").change(Self.brief)
    cable.plug(into: new.address)
    await old.stop()
    var frame = try #require(try await frames.next())
    while frame.resumption == nil { frame = try #require(try await frames.next()) }
    #expect(frame.resumption?.cause == .connectionLost)
    var event = try #require(try await settings.next())
    while event.resumption == nil { event = try #require(try await settings.next()) }
    #expect(event.changed.contains("exposure.duration") && event.settings.exposure?.duration?.value == 0.003)
    await new.stop()
  }

  @Test func aSessionThatSomebodyElseClosesEndsItsStream() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let (other, _) = try await live.client()
    let session = try await node.makeSession("door", start: true) { configuration throws(CaptureError) in
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
    var frames = session.videoOutput.frames().makeAsyncIterator()
    _ = try await frames.next()
    var events = session.events().makeAsyncIterator()
    #expect(try await events.next()?.kind == .status)
    try await other.session("door").close()
    let error = await failure { while try await frames.next() != nil {} }
    #expect(error?.code == .unavailable && error?.details?.reason == .sessionClosed)
    #expect(error?.message.contains("'door' was closed") == true)
    var last = try await events.next()
    while let event = try await events.next() { last = event }
    #expect(last?.kind == .closed)
    await live.stop()
  }

  // MARK: Silence

  private static let impatient = StreamOptions(timeout: .milliseconds(50))

  @Test func anotherReadersCancellationIsNoReasonToGiveASilentConnectionUp() async throws {
    let first = Self.camera()
    first.holdPings()
    let rig = await Rig(first)
    let reader = Task {
      for try await _ in rig.node.camera("0").videoOutput.frames(options: Self.impatient) {}
    }
    await eventually("it asks") { first.heldPings == 1 }
    reader.cancel()
    #expect(await failure { try await reader.value }?.code == .cancelled)
    #expect(first.refusal == nil)
    await rig.node.close()
  }

  @Test func aConnectionThatIsMadeAgainWhileAReaderAsksIsTaken() async throws {
    let first = Self.camera(Self.frame(1, at: 1))
    first.holdPings()
    let rig = await Rig(first)
    var frames = rig.node.camera("0").videoOutput.frames(options: Self.impatient).makeAsyncIterator()
    _ = try await frames.next()
    async let next = { [frames] in
      var frames = frames
      return try await frames.next()
    }()
    await eventually("it asks") { first.heldPings == 1 }
    first.lose("a cable was pulled")
    rig.attempts.yield(.success(Self.camera(Self.frame(2, at: 2))))
    while await rig.change() != .restored {}
    first.failPings()
    #expect(try await next?.info.sequence == 2)
    await rig.node.close()
  }

  // MARK: Ends

  @Test func cancellingEndsAStreamThatWaitsForAFrame() async throws {
    let first = Self.camera()
    let stream = RemoteNode(first).camera("0").videoOutput.frames()
    let reader = Task { for try await _ in stream {} }
    await eventually("it reads") { first.waitingReaders == 1 }
    stream.cancel()
    #expect(await failure { try await reader.value }?.code == .cancelled)
    #expect({ !stream.isAway }())
    // It stays so.
    #expect(await failure { for try await _ in stream {} }?.code == .cancelled)
  }

  @Test func cancellingEndsAStreamThatWaitsForItsConnection() async throws {
    let first = Self.camera(Self.frame(1, at: 1))
    let rig = await Rig(first)
    let stream = rig.node.camera("0").videoOutput.frames()
    let reader = Task { for try await _ in stream {} }
    await eventually("it reads") { first.waitingReaders == 1 }
    first.lose("a cable was pulled")
    await eventually("it waits") { await rig.connection.waiters == 1 }
    #expect({ stream.isAway }())
    stream.cancel()
    #expect(await failure { try await reader.value }?.code == .cancelled)
    #expect({ stream.isAway }())
    await rig.node.close()
  }

  private static let unplugged = FakeConnection.Answer(
    ending: .failure(RPCError(.unavailable, "the camera was unplugged", .init(.cameraUnplugged))))

  @Test(arguments: [true, false]) func aStreamThatWaitsForItsCameraEnds(byClosing: Bool) async throws {
    let first = FakeConnection(inTurn: [VideoMethods.subscribe: [Self.unplugged]])
    let rig = await Rig(first)
    let stream = rig.node.camera("0").videoOutput.frames()
    let reader = Task { for try await _ in stream {} }
    await eventually("it tries again and again") { first.requests.count > 3 }
    if byClosing { await rig.node.close() } else { stream.cancel() }
    #expect(await failure { try await reader.value }?.code == (byClosing ? .unavailable : .cancelled))
    await rig.node.close()
  }

  @Test func withoutAPolicyAnUnpluggedCameraIsTheEnd() async throws {
    let node = RemoteNode(FakeConnection([VideoMethods.subscribe: Self.unplugged]))
    let error = await failure { for try await _ in node.camera("0").videoOutput.frames() {} }
    #expect(error?.details?.reason == .cameraUnplugged)
  }
}
