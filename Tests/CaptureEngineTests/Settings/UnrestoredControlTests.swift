import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Testing

/// What the camera refuses to take back of a change that fails.
@Suite(.timeLimit(.minutes(1))) struct UnrestoredControlTests {
  private let camera = SettingsFaultTests.webcam()
  private let device: Device
  /// The camera's values before the change.
  private let values: [ControlID: ControlValue]

  init() async throws {
    device = try await engine(camera).device("0")
    _ = try await device.settings()
    values = camera.state.withLock(\.current)
  }

  /// Sets two controls in one call. The camera takes the gain, refuses the other, and does not take the gain back.
  private func change() async -> CaptureError? {
    camera.state.withLock { state in
      state.stuckControls = [.gain]
      state.setsUntilFailure = 1
    }
    let assignments = [
      NamedAssignment(name: "gain", value: .value(.integer(40))),
      NamedAssignment(name: "focus_automatic", value: .value(.integer(0))),
    ]
    return await refusal { _ = try await device.set(assignments, clamping: false) }
  }

  private func isAsBefore() -> Bool { camera.state.withLock(\.current) == values }

  @Test func itIsTriedAgainAtOnce() async throws {
    let error = try #require(await change())
    #expect(error.code == .unavailable && !error.message.contains("set back"))
    #expect(camera.state.withLock(\.assignments) == [ControlAssignment(.gain, .integer(1))])
    #expect(isAsBefore())
    #expect(try await device.settings().exposure?.gain?.value == 1)
  }

  @Test func whatIsRefusedOnceMoreIsNamedAndSetBackWithTheNextStream() async throws {
    camera.state.withLock { $0.setsUntilHold = 1 }
    let failed = Task { await change() }
    await eventually("it is tried again") { camera.state.withLock { $0.heldSetting.count } == 1 }
    camera.state.withLock { $0.brokenControls = [.gain] }
    camera.releaseSetting()
    let error = try #require(await failed.value)
    #expect(error.message.hasSuffix("; 'gain' could not be set back: what was set there stays for now"))
    #expect(camera.state.withLock(\.current)[.gain] == .integer(40))
    #expect(try await device.settings().exposure?.gain?.value == 40)

    camera.state.withLock { $0.brokenControls = [] }
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is as it was") { isAsBefore() }
    await device.unsubscribe(subscription)
  }

  /// One of a change whose bounds the stream does not start with.
  @Test func whatIsRefusedOnceTheStreamHasFailedIsNamedToo() async throws {
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    camera.state.withLock { $0.holdsStarting = true }
    let failed = Task {
      var change = SettingsChange()
      change.frameDuration = .init(minimum: FrameInterval(rate: 15))
      let gain = NamedAssignment(name: "gain", value: .value(.integer(40)))
      return await refusal { [change] in _ = try await device.set(change, controls: [gain]) }
    }
    await eventually("a stream is being started") { camera.state.withLock { !$0.heldStarting.isEmpty } }
    #expect(camera.state.withLock(\.current)[.gain] == .integer(40))
    camera.state.withLock { $0.brokenControls = [.gain] }
    camera.releaseStart(failing: CaptureError(.resourceExhausted, "no bandwidth"))
    let error = try #require(await failed.value)
    #expect(error.code == .resourceExhausted)
    #expect(
      error.message == "no bandwidth; 'gain' could not be set back: what was set there stays for now")
    camera.state.withLock { $0.brokenControls = [] }
    await device.unsubscribe(subscription)
  }

  /// Changes the focus and the exposure of a camera that was reset. It refuses the exposure, which its mode has again, and does not take the focus back.
  /// Returns the former focus while the camera is asked again to take it. After that all is read again for a second try, for which the focus that the
  /// first has left is from before.
  private func changeAfterReset() async throws -> (focus: ControlValue?, failed: Task<CaptureError?, Never>) {
    _ = try await device.set(SettingsFaultTests.change)
    let focus = camera.state.withLock(\.current)[.focusAbsolute]
    camera.state.withLock { state in
      state.values[.autoExposure] = .integer(3)
      state.stuckControls = [.focusAbsolute]
      state.setsUntilHold = 1
    }
    let failed = Task {
      var change = SettingsChange()
      change.focus.lensPosition = 0.2
      change.exposure.duration = 0.02
      return await refusal { [change] in _ = try await device.set(change) }
    }
    await eventually("the focus is set back") { camera.state.withLock { $0.heldSetting.count } == 1 }
    return (focus, failed)
  }

  @Test func whatTheFirstOfTwoTriesLeavesIsNamed() async throws {
    let (focus, failed) = try await changeAfterReset()
    camera.state.withLock { $0.brokenControls = [.focusAbsolute, .autoExposure] }
    camera.releaseSetting()
    let error = try #require(await failed.value)
    // The second's: the first was refused since the mode has the exposure.
    #expect(error.code == .unavailable)
    #expect(
      error.message.hasSuffix("; 'focus_absolute' could not be set back: what was set there stays for now"))
    #expect(camera.state.withLock(\.current)[.focusAbsolute] != focus)

    camera.state.withLock { $0.brokenControls = [] }
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is as it was") { camera.state.withLock(\.current)[.focusAbsolute] == focus }
    await device.unsubscribe(subscription)
  }

  @Test func whatEitherOfTwoTriesLeavesIsInTheErrorWithItsFormerValue() async throws {
    let (focus, failed) = try await changeAfterReset()
    // The second try sets the modes, fails with the values, and sets the mode of the exposure back.
    camera.state.withLock { state in
      state.brokenControls = [.focusAbsolute]
      state.setsUntilHold = 2
    }
    camera.releaseSetting()
    await eventually("the mode is set back") { camera.state.withLock { $0.heldSetting.count } == 1 }
    camera.state.withLock { $0.brokenControls = [.focusAbsolute, .autoExposure] }
    camera.releaseSetting()
    let error = try #require(await failed.value)
    let former = try #require(focus)
    #expect(
      error.unrestored == [
        ControlAssignment(.focusAbsolute, former), ControlAssignment(.autoExposure, .integer(3)),
      ])
    #expect(error.message.contains("; 'auto_exposure' could not be set back"))
    #expect(error.message.contains("; 'focus_absolute' could not be set back"))
  }

  /// Sets modes in one call and their values in another. The camera takes the modes, refuses the values, and does not take the modes back; it refuses nothing
  /// after that.
  private func changeOfModes() async -> CaptureError? {
    camera.state.withLock { state in
      state.brokenControls = [.gain]
      state.setsUntilHold = 2
    }
    let failed = Task { await refusal { _ = try await device.set(SettingsFaultTests.change) } }
    await eventually("the modes are set back") { camera.state.withLock { $0.heldSetting.count } == 1 }
    camera.state.withLock { $0.brokenControls = [.autoExposure, .autoFocus] }
    camera.releaseSetting()
    let error = await failed.value
    camera.state.withLock { $0.brokenControls = [] }
    return error
  }

  /// One that an earlier call of the change had set.
  @Test func aRefusedStepIsSetBackWithTheNextStream() async throws {
    let error = try #require(await changeOfModes())
    #expect(error.message.contains("; 'focus_automatic', 'auto_exposure' could not be set back"))
    #expect(camera.state.withLock(\.current)[.autoExposure] == .integer(1))

    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is as it was") { isAsBefore() }
    await device.unsubscribe(subscription)
  }

  @Test func aModeThatWaitsTakesOverNoValueThatAClientHasSetSince() async throws {
    _ = try #require(await changeOfModes())
    let exposure = NamedAssignment(name: "exposure_time_absolute", value: .value(.integer(200)))
    _ = try await device.set([exposure], clamping: false)

    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("focus is as it was") { camera.state.withLock(\.current)[.autoFocus] == .integer(1) }
    let present = camera.state.withLock(\.current)
    #expect(present[.autoExposure] == .integer(1) && present[.exposureAbsolute] == .integer(200))
    await device.unsubscribe(subscription)
  }
}
