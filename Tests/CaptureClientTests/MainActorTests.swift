import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Dispatch
import Testing

@testable import CaptureClient

/// A caller on the main actor is there again when a call has thrown. Swift 6.3 does not bring it back where the error came through a function that runs on
/// its caller's executor and had gone to another.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MainActorTests {
  private nonisolated static let key = DispatchSpecificKey<Bool>()

  init() { DispatchQueue.main.setSpecific(key: Self.key, value: true) }

  private struct Stop: Error {}

  private func here(_ sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(DispatchQueue.getSpecific(key: Self.key) == true, sourceLocation: sourceLocation)
    MainActor.assertIsolated()
  }

  private func missed(_ sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record("it threw nothing", sourceLocation: sourceLocation)
  }

  @Test func elsewhereIsNotHere() async {
    #expect(await Task.detached { DispatchQueue.getSpecific(key: Self.key) == nil }.value)
    here()
  }

  @Test(arguments: [true, false]) func afterUnaryCalls(reconnects: Bool) async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client(reconnects: reconnects)
    let missing = node.camera("nobody")
    do { _ = try await missing.settings(); missed() } catch { here() }
    do { _ = try await missing.change(SettingsChange()); missed() } catch { here() }
    do { _ = try await missing.controls(); missed() } catch { here() }
    do { _ = try await missing.setControls([("gain", .literal("1"))]); missed() } catch { here() }
    do { _ = try await missing.saveProfile("p"); missed() } catch { here() }
    do { _ = try await missing.acquireLease(); missed() } catch { here() }
    do { _ = try await missing.formats(); missed() } catch { here() }
    do { _ = try await node.session("nobody").start(); missed() } catch { here() }
    do { _ = try await node.renew(LeaseToken(rawValue: "x")); missed() } catch { here() }
    // Without a connection.
    await cable.cut(staysOut: true)
    do { _ = try await node.info(); missed() } catch { here() }
    do { _ = try await node.cameras(); missed() } catch { here() }
    do { _ = try await node.ping(); missed() } catch { here() }
    do { _ = try await node.localTime(ofNode: 1) } catch { here() }
    do { _ = try await node.camera("0").photoOutput.capturePhoto(); missed() } catch { here() }
    do { _ = try await node.makeSession { _ throws(CaptureError) in }; missed() } catch { here() }
    do { _ = try await node.makeSession("door") { _ throws(CaptureError) in }; missed() } catch { here() }
    do { _ = try await node.session("door").commit { _ throws(CaptureError) in }; missed() } catch { here() }
    do { for try await _ in node.camera("0").videoOutput.frames() {}; missed() } catch { here() }
    do { for try await _ in node.cameraEvents() {}; missed() } catch { here() }
    do { try await node.camera("0").withLock { _ in }; missed() } catch { here() }
    await node.close()
    do { _ = try await node.status(); missed() } catch { here() }
    await live.stop()
  }

  @Test func afterACallThatIsCutOrCancelled() async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client()
    let (other, _) = try await live.client()
    let lease = try await other.camera("0").acquireLease()
    let call = Task { @MainActor in
      do { _ = try await node.camera("0").acquireLease(patience: .seconds(30)); missed() } catch { here() }
    }
    // Beside the question itself.
    while try await other.status().calls < 2 {}
    await cable.cut()
    await call.value
    let cancelled = Task { @MainActor in
      do { _ = try await other.camera("0").acquireLease(patience: .seconds(30)); missed() } catch { here() }
    }
    await Task.yield()
    cancelled.cancel()
    await cancelled.value
    #expect(lease.token != nil)
    await live.stop()
  }

  @Test func afterAConnectionThatIsNotMade() async throws {
    let configuration = RemoteNode.Configuration(address: .unix(path: "/nowhere/capture.sock"))
    do { _ = try await RemoteNode(configuration: configuration); missed() } catch { here() }
  }

  @Test(arguments: [true, false]) func afterStreams(reconnects: Bool) async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client(reconnects: reconnects)
    let missing = node.camera("nobody")
    do { for try await _ in missing.settingsEvents() {}; missed() } catch { here() }
    do { for try await _ in missing.videoOutput.frames() {}; missed() } catch { here() }
    do { for try await _ in missing.calibrate() {}; missed() } catch { here() }
    do { for try await _ in node.session("nobody").events() {}; missed() } catch { here() }
    do { _ = try await missing.photoOutput.capturePhoto(); missed() } catch { here() }
    do {
      var events = missing.settingsEvents().makeAsyncIterator(); _ = try await events.next(); missed()
    } catch {
      here()
    }
    // They end in their middle.
    let frames = node.camera("0").videoOutput.frames()
    do { for try await _ in frames { here(); frames.cancel() }; missed() } catch { here() }
    var count = 0
    do {
      for try await _ in node.camera("0").videoOutput.frames() {
        here()
        count += 1
        if count == 2 { await node.close() }
      }
      missed()
    } catch { here() }
    do { for try await _ in node.cameraEvents() { here() }; missed() } catch { here() }
    await cable.cut()
    await live.stop()
  }

  @Test func afterAStreamWhoseTaskIsCancelled() async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client()
    let events = Task { @MainActor in
      do { for try await _ in node.camera("0").settingsEvents() { here() }; missed() } catch { here() }
    }
    let frames = Task { @MainActor in
      do { for try await _ in node.camera("0").videoOutput.frames() { here() }; missed() } catch { here() }
    }
    await Task.yield()
    await cable.cut(staysOut: true)
    events.cancel()
    frames.cancel()
    await events.value
    await frames.value
    await live.stop()
  }

  @Test func afterSessionsAreChanged() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    let refused = CaptureError(.invalidArgument, "not so")
    nonisolated func add(_ configuration: inout CaptureModel.SessionConfiguration) throws(CaptureError) {
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
    }
    let session = try await node.makeSession("door", add)
    do { _ = try await node.makeSession("door", add); missed() } catch { here() }
    do { _ = try await node.makeSession { _ throws(CaptureError) in throw refused }; missed() } catch {
      here()
    }
    do { _ = try await session.commit(add); missed() } catch { here() }
    do { _ = try await session.commit { _ throws(CaptureError) in throw refused }; missed() } catch { here() }
    do { _ = try await session.check(add); missed() } catch { here() }
    await live.stop()
  }

  /// State of the main actor is at hand in what is called back.
  @Test func whatIsCalledBackIsHere() async throws {
    let live = try await LiveNode()
    let (node, _) = try await live.client()
    var stages = 0
    let photo = try await node.camera("0").photoOutput.capturePhoto(PhotoSettings(settling: .zero)) { _ in
      here()
      stages += 1
    }
    // It will begin, will capture, did capture, and is there.
    #expect(stages == 4 && photo.payload.count > 0)
    var changes = 0
    let session = try await node.makeSession { configuration throws(CaptureError) in
      here()
      configuration.addInput(node.camera("0"))
      configuration.addOutput(.video)
      changes += 1
    }
    try await session.commit { configuration throws(CaptureError) in
      here()
      configuration.addOutput(.photo)
      changes += 1
    }
    #expect(changes == 2)
    here()
    await live.stop()
  }

  @Test func afterLocks() async throws {
    let live = try await LiveNode()
    let (node, cable) = try await live.client()
    let (other, _) = try await live.client()
    let camera = node.camera("0")
    do { try await camera.withLock { _ in throw Stop() }; missed() } catch { here() }
    do { try await camera.withLock { @MainActor _ in throw Stop() }; missed() } catch { here() }
    do { try await node.camera("nobody").withLock { _ in }; missed() } catch { here() }
    do { try await camera.withLock { _ = try await $0.loadProfile("nobody") }; missed() } catch { here() }
    let short = LockOptions(lifetime: .milliseconds(500))
    do {
      try await camera.withLock(short) { _ in
        _ = try await other.camera("0").endLease()
        try await Task.sleep(for: .seconds(60))
      }
      missed()
    } catch { here() }
    do {
      try await camera.withLock(short) { @MainActor _ in
        await cable.cut()
        do { try await Task.sleep(for: .seconds(60)) } catch {
          here()
          throw error
        }
      }
      missed()
    } catch { here() }
    // The node may not have noticed yet that the connection is cut, which had the lock before.
    let lease = try await other.camera("0").acquireLease(patience: .seconds(30))
    do { try await camera.withLock { _ in }; missed() } catch { here() }
    #expect(lease.token != nil)
    await live.stop()
  }
}
