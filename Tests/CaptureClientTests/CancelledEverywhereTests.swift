import CaptureModel
import CaptureSystem
import CaptureTransport
import CaptureWire
import Testing

@testable import CaptureClient

/// A task is cancelled, whatever it waits for: it ends at once and says so, and what it had begun is undone.
@Suite(.timeLimit(.minutes(2))) struct CancelledEverywhereTests {
  private typealias Call = (name: String, run: @Sendable (RemoteNode) async throws -> Void)

  private static let nodeCalls: [Call] = [
    ("info", { _ = try await $0.info() }), ("status", { _ = try await $0.status() }),
    ("cameras", { _ = try await $0.cameras() }),
    ("camerasAndMissing", { _ = try await $0.camerasAndMissing() }),
    ("defaultCamera", { _ = try await $0.defaultCamera() }),
    ("leases", { _ = try await $0.leases() }), ("sessions", { _ = try await $0.sessions() }),
    ("renew", { _ = try await $0.renew(LeaseToken(rawValue: "a")) }),
    ("release", { try await $0.release(LeaseToken(rawValue: "a")) }),
    ("cameraEvents", { for try await _ in $0.cameraEvents() {} }),
  ]

  private static let sessionCalls: [Call] = [
    ("makeSession", { _ = try await $0.makeSession { _ throws(CaptureError) in } }),
    ("makeSession, named", { _ = try await $0.makeSession("door") { _ throws(CaptureError) in } }),
    ("session.status", { _ = try await $0.session("door").status() }),
    ("session.start", { try await $0.session("door").start() }),
    ("session.stop", { try await $0.session("door").stop() }),
    ("session.close", { try await $0.session("door").close() }),
    ("session.commit", { try await $0.session("door").commit { _ throws(CaptureError) in } }),
    ("session.check", { _ = try await $0.session("door").check { _ throws(CaptureError) in } }),
    ("session.events", { for try await _ in $0.session("door").events() {} }),
    ("session.frames", { for try await _ in $0.session("door").videoOutput.frames() {} }),
    ("session.capturePhoto", { _ = try await $0.session("door").photoOutput.capturePhoto() }),
  ]

  private static let cameraCalls: [Call] = [
    ("formats", { _ = try await $0.camera("0").formats() }),
    ("presets", { _ = try await $0.camera("0").presets() }),
    ("inputs", { _ = try await $0.camera("0").inputs() }),
    ("selectInput", { try await $0.camera("0").selectInput("1") }),
    ("controls", { _ = try await $0.camera("0").controls() }),
    ("controls(named:)", { _ = try await $0.camera("0").controls(named: ["gain"]) }),
    ("setControls", { try await $0.camera("0").setControls([("gain", .literal("1"))]) }),
    ("settings", { _ = try await $0.camera("0").settings() }),
    ("settingsDescription", { _ = try await $0.camera("0").settingsDescription() }),
    ("change", { try await $0.camera("0").change { $0.zoom = .init(factor: 2) } }),
    ("apply", { try await $0.camera("0").apply { $0.zoom = .init(factor: 2) } }),
    ("awaitChange", { _ = try await $0.camera("0").awaitChange(1) }),
    ("resetSettings", { _ = try await $0.camera("0").resetSettings() }),
    ("focus", { try await $0.camera("0").focus(at: .center) }),
    ("expose", { try await $0.camera("0").expose(at: .center) }),
    ("whiteBalance", { try await $0.camera("0").whiteBalance(.auto) }),
    ("zoom", { try await $0.camera("0").zoom(to: 2) }),
    ("ramp", { try await $0.camera("0").ramp(toZoom: 2, rate: 1) }),
    ("stopZoom", { _ = try await $0.camera("0").stopZoom() }),
    (
      "settle",
      { _ = try await $0.camera("0").settle(after: SetSettingsResponse(change: 1).model) }
    ),
    (
      "whiteBalanceGains",
      { _ = try await $0.camera("0").whiteBalanceGains(for: .init(temperature: 4000)) }
    ),
    ("temperatureAndTint", { _ = try await $0.camera("0").temperatureAndTint(for: .none) }),
    ("torch", { try await $0.camera("0").torch(1) }),
    ("profiles", { _ = try await $0.camera("0").profiles() }),
    ("saveProfile", { try await $0.camera("0").saveProfile("a") }),
    ("loadProfile", { try await $0.camera("0").loadProfile("a") }),
    ("deleteProfile", { try await $0.camera("0").deleteProfile("a") }),
    ("calibrate", { for try await _ in $0.camera("0").calibrate() {} }),
    ("acquireLease", { _ = try await $0.camera("0").acquireLease() }),
    ("acquireLease in line", { _ = try await $0.camera("0").acquireLease(patience: .seconds(60)) }),
    ("endLease", { _ = try await $0.camera("0").endLease() }),
    ("withLock", { try await $0.camera("0").withLock { _ = try await $0.focus(at: .center) } }),
    ("settingsEvents", { for try await _ in $0.camera("0").settingsEvents() {} }),
    ("frames", { for try await _ in $0.camera("0").videoOutput.frames() {} }),
    ("capturePhoto", { _ = try await $0.camera("0").photoOutput.capturePhoto() }),
    ("capturePhotoFiles", { _ = try await $0.camera("0").photoOutput.capturePhotoFiles() }),
    ("resolve", { _ = try await $0.camera("0").photoOutput.resolve(PhotoSettings()) }),
    (
      "capturePhotos",
      { for try await _ in $0.camera("0").photoOutput.capturePhotos(bracket: [.bias(0), .bias(1)]) {} }
    ),
    ("rateBound", { _ = try await $0.camera("0").rateBound(asked: 30) }),
  ]

  private static let libraryCalls: [Call] = [
    ("library.status", { _ = try await $0.library.status() }),
    ("library.authorization", { _ = try await $0.library.authorization() }),
    ("library.page", { _ = try await $0.library.page() }),
    ("library.assets", { _ = try await $0.library.assets() }),
    ("library.assets(named:)", { _ = try await $0.library.assets(named: ["a"]) }),
    ("library.thumbnails", { _ = try await $0.library.thumbnails(of: ["a"]) }),
    ("library.label", { try await $0.library.label(["a"], add: ["x"]) }),
    ("library.delete", { try await $0.library.delete(["a"]) }),
    ("library.read", { try await $0.library.read("a") { _ throws(CaptureError) in } }),
    ("library.add", { _ = try await $0.library.add([.init("image/jpeg", Payload(copying: [0xFF]))]) }),
    ("library.changes", { for try await _ in $0.library.changes() {} }),
  ]

  private static let jobCalls: [Call] = [
    ("jobs", { _ = try await $0.jobs() }), ("stopJob", { try await $0.stopJob("a") }),
    ("removeJob", { try await $0.removeJob("a") }),
    ("startTimelapse", { _ = try await $0.camera("0").startTimelapse(Timelapse(interval: .seconds(1))) }),
    ("jobEvents", { for try await _ in $0.jobEvents() {} }),
  ]

  private static let accessCalls: [Call] = [
    ("clients", { _ = try await $0.clients() }), ("revoke", { _ = try await $0.revoke("a") }),
    ("rotateCredential", { try await $0.rotateCredential(to: .make()) }),
    ("authorizationStatus", { _ = try await $0.authorizationStatus() }),
    ("authorizationChanges", { for try await _ in $0.authorizationChanges() {} }),
    ("requestAccess", { try await $0.requestAccess(role: .control) }),
    ("withdrawAccessRequest", { try await $0.withdrawAccessRequest() }),
    ("accessRequests", { _ = try await $0.accessRequests() }),
    ("approveAccess", { try await $0.approveAccess(of: "a") }),
    ("denyAccess", { try await $0.denyAccess(of: "a") }),
  ]

  private static let calls =
    nodeCalls + sessionCalls + cameraCalls + libraryCalls + jobCalls + accessCalls

  /// A node that takes every call and answers none.
  private static func silent() -> FakeConnection {
    let methods =
      NodeMethods.all + DevicesMethods.all + SessionsMethods.all + SettingsMethods.all + LeasesMethods.all
      + PhotosMethods.all + VideoMethods.all + LibraryMethods.all + JobsMethods.all + AccessMethods.all
    return FakeConnection(
      Dictionary(methods.map { ($0, FakeConnection.Answer(ending: nil)) }) { first, _ in first })
  }

  @Test func everyCallThatWaitsForItsAnswerEnds() async {
    for call in Self.calls {
      let silent = Self.silent()
      let node = RemoteNode(silent)
      let running = Task { await failure { try await call.run(node) } }
      await eventually("\(call.name) waits for its answer") { silent.waitingReaders > 0 }
      running.cancel()
      #expect(await running.value?.code == .cancelled, "\(call.name)")
      silent.lose("the test is over")
    }
  }

  @Test func aCallOfACancelledTaskEnds() async {
    for call in Self.calls {
      let silent = Self.silent()
      let node = RemoteNode(silent)
      let running = Task {
        while !Task.isCancelled { await Task.yield() }
        return await failure { try await call.run(node) }
      }
      running.cancel()
      #expect(await running.value?.code == .cancelled, "\(call.name)")
      silent.lose("the test is over")
    }
  }

  @Test func ofASessionThatNobodyWaitsForNothingStays() async throws {
    let rounds = 20
    for pass in 0..<5 {
      // They paint little: on a busy machine twenty that do not keep up would take all of it.
      let live = try await LiveNode(cameras: Array(repeating: "synthetic:160x120@5", count: rounds))
      let (node, _) = try await live.client()
      // Each has a name and a camera of its own: the session of the round before may be made a moment after its task has ended, to be closed then.
      for round in 0..<rounds {
        let making = Task {
          await failure {
            _ = try await node.makeSession("door-\(round)", start: (pass + round) % 2 == 0) {
              configuration throws(CaptureError) in
              configuration.addInput(node.camera("\(round)"))
              configuration.addOutput(.video)
            }
          }
        }
        // Somewhere on its way.
        for _ in 0..<round { await Task.yield() }
        making.cancel()
        let error = await making.value
        #expect(error == nil || error?.code == .cancelled, "\(error!)")
        if error == nil { try await node.session("door-\(round)").close() }
      }
      // The one call is the question itself.
      await eventually("no session stays, and nothing that would make one") {
        guard let status = try? await node.status(), status.calls == 1 else { return false }
        return (try? await node.sessions().isEmpty) == true
      }
      await live.stop()
    }
  }

  @Test func aLockedScopeLeavesNoLock() async throws {
    let live = try await LiveNode("synthetic:physics:160x120@120,manual,delay=0")
    let (node, _) = try await live.client()
    let looking = Task { for try await _ in node.camera("0").videoOutput.frames() {} }
    // Beside the question itself.
    await eventually("somebody looks") { (try? await node.status().calls) == 2 }
    for round in 0..<30 {
      let scope = Task {
        await failure {
          try await node.camera("0").withLock { locked in
            try await locked.zoom(to: Double(1 + round % 2))
            try await locked.focus(at: .center)
            try await locked.expose(at: .center)
          }
        }
      }
      try await Task.sleep(for: .milliseconds(round * 3))
      scope.cancel()
      let error = await scope.value
      #expect(error == nil || error?.code == .cancelled, "\(error!)")
      await eventually("no lock stays, and nothing that would take one") {
        guard (try? await node.status().calls) == 2 else { return false }
        return (try? await node.leases().isEmpty) == true
      }
    }
    looking.cancel()
    await live.stop()
  }
}
