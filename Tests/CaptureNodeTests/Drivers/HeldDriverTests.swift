import CaptureLibrary
import CaptureModel
import CaptureNode
import CaptureTestSupport
import CaptureWire
import Foundation
import Testing

/// Every call of the contract, while the driver of its camera holds everything.
@Suite(.timeLimit(.minutes(1))) struct HeldDriverTests {
  /// Whoever adds one says here whether it needs the driver.
  @Test func everyCallOfTheContractIsMadeHereOrNeedsNoDriver() {
    let needing =
      DriverCall.failing + DriverCall.lettingGo + [DriverCall.timelapse, DriverCall.endOfTimelapses]
    let needed = Set(needing.map(\.method))
    let others = Set(DriverCall.answered.map(\.method) + DriverCall.others)
    #expect(needed.isDisjoint(with: others))
    #expect(needed.union(others) == Set(AccessRulesTests.methods))
  }

  /// `isKnown`: the node knows the camera's controls.
  @Test(arguments: DriverCall.failing, [true, false])
  func isOverOnceTheDriverIsTakenForStuckAndSoIsTheNext(call: DriverCall, isKnown: Bool) async throws {
    let rig = try await HeldDriverNode()
    if call.method == SessionsMethods.start { try await DriverCall.configure("door").make(rig.client) }
    if !isKnown { try await rig.forgetControls() }
    rig.camera.holdEverything()
    let waiting = rig.begin(call)
    await eventually("it waits for the driver, or is answered") {
      waiting.hasEnded || rig.camera.isHolding
    }
    let mayBeAnswered = waiting.hasEnded || call.mayBeKnown
    let first = await waiting.end(since: await rig.takeForStuck())
    if first?.error != nil || !mayBeAnswered { expectUnavailable(first) }
    expectUnavailable(await rig.begin(call).end(since: .now))
    await rig.stop()
  }

  private func expectUnavailable(_ end: CallBeside.End?) {
    let error = end?.error
    #expect(error?.code == .unavailable, "\(String(describing: end))")
    #expect(error?.text.contains("'stuck' does not respond") == true, "\(String(describing: end))")
  }

  /// `isStuck`: the driver is taken for stuck before.
  @Test(arguments: DriverCall.lettingGo, [true, false])
  func whatLetsGoOfTheCameraIsOverToo(call: DriverCall, isStuck: Bool) async throws {
    let rig = try await HeldDriverNode()
    try await DriverCall.configure("door", start: true).make(rig.client)
    rig.camera.state.withLock { $0.holdsStopping = true }
    var begun = ContinuousClock.now
    if isStuck { begun = await rig.takeForStuck() }
    let ending = rig.begin(call)
    if !isStuck {
      await eventually("it waits for the driver") {
        rig.camera.state.withLock { !$0.heldStopping.isEmpty }
      }
      begun = await rig.takeForStuck()
    }
    let end = await ending.end(since: begun)
    #expect(end?.error == nil, "\(String(describing: end))")
    await rig.stop()
  }

  @Test(arguments: DriverCall.answered)
  func whatNeedsNoDriverIsAnsweredMeanwhile(call: DriverCall) async throws {
    let rig = try await HeldDriverNode()
    try await DriverCall.configure("door").make(rig.client)
    rig.camera.holdEverything()
    let error = await status { try await call.make(rig.client) }
    #expect(error == nil)
    await rig.stop()
  }

  /// One is stopped whose first photo is with the driver, and another one begins, which asks the driver what photos there could be.
  @Test func timelapsesEndAndBeginAllTheSame() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "held-driver-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let rig = try await HeldDriverNode(library: NodeLibrary(try await library(in: folder.path)))
    rig.camera.state.withLock { $0.holdsStarting = true }
    try await DriverCall.timelapse.make(rig.client)
    await eventually("its photo waits for the driver") { rig.camera.isHolding }
    let ending = rig.begin(.endOfTimelapses)
    await eventually("it is to end") { await runningTimelapses(of: rig) == 0 }
    rig.camera.holdEverything()
    let beginning = rig.begin(.timelapse)
    await eventually("it waits for the driver") {
      rig.camera.state.withLock { !$0.heldInputs.isEmpty }
    }
    let begun = await rig.takeForStuck()
    for call in [ending, beginning] {
      let end = await call.end(since: begun)
      #expect(end?.error == nil, "\(String(describing: end))")
    }
    for call in [DriverCall.timelapse, .endOfTimelapses] {
      let end = await rig.begin(call).end(since: .now)
      #expect(end?.error == nil, "\(String(describing: end))")
    }
    await rig.stop()
  }

  private func library(in folder: String) async throws -> PhotoLibrary {
    _ = try LibraryRoot.initialise(folder)
    var configuration = LibraryConfiguration(root: folder)
    configuration.freeFloor = 0
    let imaging = LibraryImaging { _, _ throws(CaptureError) in
      LibraryImaging.Examination(size: nil, thumbnail: nil)
    }
    let library = PhotoLibrary(configuration, imaging: imaging)
    await library.start()
    return library
  }

  private func runningTimelapses(of rig: HeldDriverNode) async -> Int? {
    let jobs = try? await JobsClient(rig.client).list(options: bounded).jobs
    return jobs?.count { $0.state == .running }
  }
}
