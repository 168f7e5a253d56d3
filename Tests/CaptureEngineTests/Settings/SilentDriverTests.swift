import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Changes whose driver falls silent before they are done.
@Suite struct SilentDriverTests {
  private let camera = SettingsFaultTests.webcam(hasDriver: true)
  private let engine: CaptureEngine
  private let device: Device
  /// The settings, and the camera's values, before the change.
  private let before: CameraSettings
  private let values: [ControlID: ControlValue]

  init() async throws {
    engine = await CaptureEngineTests.engine(camera)
    device = try engine.device("0")
    before = try await device.settings()
    values = camera.state.withLock(\.current)
  }

  /// The calls of a change that were answered before one hangs, and whether the one that hangs reverts a call that was refused.
  @Test(arguments: [(0, false), (1, false), (2, true)])
  func nothingStaysOfAChangeOnceTheDriverAnswersAgain(_ answered: Int, _ isReverting: Bool) async throws {
    camera.state.withLock { state in
      state.setsUntilHold = answered
      state.brokenControls = isReverting ? [SettingsFaultTests.gain] : []
    }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await fallSilent()
    let error = await #expect(throws: CaptureError.self) { try await change.value }
    #expect(error?.code == .unavailable)

    // The driver carries out the call that nobody waits for any more.
    let done = camera.state.withLock(\.assignments).count
    camera.releaseSetting()
    await eventually("the call is carried out") { camera.state.withLock { $0.assignments.count > done } }
    #expect(camera.state.withLock(\.current) != values || isReverting)
    camera.state.withLock { $0.brokenControls = [] }
    camera.answerAgain()
    await engine.checkDrivers()
    await eventually("it is as it was") { camera.state.withLock(\.current) == values }
    #expect(try await device.settings() == before)
    #expect(try await device.set(SettingsFaultTests.change).settings.exposure?.gain?.value == 40)
  }

  @Test func whatAClientSetsBeforeTheValuesAreBackStays() async throws {
    camera.state.withLock { $0.setsUntilHold = 1 }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await fallSilent()
    _ = try? await change.value
    await answer()
    _ = try await device.set([NamedAssignment(name: "gain", value: .value(.integer(55)))], clamping: false)
    await eventually("the rest is as it was") {
      let now = camera.state.withLock(\.current)
      return now[.autoFocus] == .integer(1) && now[.autoExposure] == .integer(3)
    }
    #expect(camera.state.withLock(\.current)[SettingsFaultTests.gain] == .integer(55))
  }

  /// A part of the change is what the client wants.
  @Test func aModeThatAClientWantsAsTheChangeHasLeftItStays() async throws {
    camera.state.withLock { $0.setsUntilHold = 1 }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await fallSilent()
    _ = try? await change.value

    // The client's turn comes before that of the values.
    await device.run { await $0.context.gates.settings.enterToCleanUp() }
    let newer = Task {
      var change = SettingsChange()
      change.exposure.duration = 0.02
      return try await device.set(change)
    }
    await eventually("the client waits") {
      await device.run { $0.context.gates.settings.waitingCount } == 1
    }
    await answer()
    await eventually("the values wait") {
      await device.run { $0.context.gates.settings.waitingCount } >= 2
    }
    let done = camera.state.withLock(\.assignments).count
    await device.run { $0.context.gates.settings.leave() }
    _ = try await newer.value
    await eventually("the rest is as it was") {
      let now = camera.state.withLock(\.current)
      return [ControlID.gain, .autoFocus].allSatisfy { now[$0] == values[$0] }
    }
    let exposes = camera.state.withLock { $0.assignments[done...].filter { $0.id == .autoExposure } }
    #expect(exposes.allSatisfy { $0.value == .integer(1) })
    #expect(camera.state.withLock(\.current)[.exposureAbsolute] == .integer(200))
  }

  @Test func aDriverThatFallsSilentAgainMeanwhileGetsTheSameValues() async throws {
    camera.state.withLock { $0.setsUntilHold = 1 }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await fallSilent()
    _ = try? await change.value
    camera.state.withLock { $0.setsUntilHold = 0 }
    await answer()
    await fallSilent()
    // The attempt ends.
    await device.run { device in
      await device.context.gates.settings.enterToCleanUp()
      device.context.gates.settings.leave()
    }
    await answer()
    await eventually("it is as it was") { camera.state.withLock(\.current) == values }
  }

  /// As those of a bracket.
  @Test func stepsAreTakenBackToWhatWasThereBeforeTheFirst() async throws {
    // The first step sets the mode, and then its value.
    camera.state.withLock { $0.setsUntilHold = 2 }
    let steps = Task {
      await device.run { device in
        let settings = device.settings
        await device.context.gates.settings.enterToCleanUp()
        defer { device.context.gates.settings.leave() }
        guard let present = device.context.camera.present else { return }
        var undo = SettingsUndo(asked: settings.asked)
        for gain in [20.0, 30] {
          var change = SettingsChange()
          change.exposure.gain = gain
          guard let step = try? await settings.applyChange(change, clamping: true, by: .photo) else { break }
          undo.add(step.transaction)
        }
        await settings.revert(undo, on: present)
      }
    }
    await fallSilent()
    await steps.value
    #expect(camera.state.withLock(\.current)[.gain] == .integer(20))
    await answer()
    await eventually("it is as it was") { camera.state.withLock(\.current) == values }
  }

  /// The bounds of the frame duration need another stream, during whose start the driver falls silent.
  @Test func nothingStaysOfAChangeWhoseStreamHangs() async throws {
    _ = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.state.withLock { $0.holdsStarting = true }
    let change = Task {
      var change = SettingsFaultTests.change
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      return try await device.set(change)
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    #expect(camera.state.withLock(\.current) != values)
    await fallSilent()
    #expect(await refusal { _ = try await change.value }?.code == .unavailable)
    #expect(await device.memory.controls.isEmpty)
    camera.releaseStart()
    camera.answerAgain()
    await engine.checkDrivers()
    await eventually("it is as it was") { camera.state.withLock(\.current) == values }
    #expect(try await device.settings().frameDuration == nil)
  }

  // MARK: The driver

  /// The driver has not answered a call for so long that its camera counts as absent.
  private func fallSilent() async {
    await eventually("a call hangs") {
      camera.state.withLock { !$0.heldSetting.isEmpty || !$0.heldStarting.isEmpty }
    }
    camera.fallSilent()
    await engine.checkDrivers()
  }

  /// The driver carries out the call that sets controls and that nobody waits for any more, and answers again.
  private func answer() async {
    let done = camera.state.withLock(\.assignments).count
    camera.releaseSetting()
    await eventually("the call is carried out") { camera.state.withLock { $0.assignments.count > done } }
    camera.answerAgain()
    await engine.checkDrivers()
  }
}
