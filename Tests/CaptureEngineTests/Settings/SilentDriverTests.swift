import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// Changes whose driver falls silent before they are done.
@Suite struct SilentDriverTests {
  private static let silence: UInt64 = 11_000_000_000

  /// The calls of a change that were answered before one hangs, and whether the one that hangs reverts a call that was refused.
  @Test(arguments: [(0, false), (1, false), (2, true)])
  func nothingStaysOfAChangeOnceTheDriverAnswersAgain(_ answered: Int, _ isReverting: Bool) async throws {
    let camera = SettingsFaultTests.webcam(hasDriver: true)
    let engine = await engine(camera)
    let device = try engine.device("0")
    let before = try await device.settings()
    let values = camera.state.withLock(\.current)
    camera.state.withLock { state in
      state.setsUntilHold = answered
      state.brokenControls = isReverting ? [SettingsFaultTests.gain] : []
    }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await eventually("a call hangs") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    let now = MonotonicClock.now()
    camera.state.withLock { $0.unansweredSince = now }
    await engine.checkDrivers(at: now + Self.silence)
    let error = await #expect(throws: CaptureError.self) { try await change.value }
    #expect(error?.code == .unavailable)

    // The driver carries out the call that nobody waits for any more.
    let done = camera.state.withLock(\.assignments).count
    camera.releaseSetting()
    await eventually("the call is carried out") { camera.state.withLock { $0.assignments.count > done } }
    #expect(camera.state.withLock(\.current) != values || isReverting)
    camera.state.withLock { ($0.unansweredSince, $0.brokenControls) = (nil, []) }
    await engine.checkDrivers()
    await eventually("it is as it was") { camera.state.withLock(\.current) == values }
    #expect(try await device.settings() == before)
    #expect(try await device.set(SettingsFaultTests.change).settings.exposure?.gain?.value == 40)
  }

  @Test func whatAClientSetsBeforeTheValuesAreBackStays() async throws {
    let camera = SettingsFaultTests.webcam(hasDriver: true)
    let engine = await engine(camera)
    let device = try engine.device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.setsUntilHold = 1 }
    let change = Task { try await device.set(SettingsFaultTests.change) }
    await eventually("a call hangs") { camera.state.withLock { !$0.heldSetting.isEmpty } }
    let now = MonotonicClock.now()
    camera.state.withLock { $0.unansweredSince = now }
    await engine.checkDrivers(at: now + Self.silence)
    _ = try? await change.value
    let done = camera.state.withLock(\.assignments).count
    camera.releaseSetting()
    await eventually("the call is carried out") { camera.state.withLock { $0.assignments.count > done } }
    camera.state.withLock { $0.unansweredSince = nil }
    await engine.checkDrivers()
    _ = try await device.set([NamedAssignment(name: "gain", value: .value(.integer(55)))], clamping: false)
    await eventually("the rest is as it was") {
      let values = camera.state.withLock(\.current)
      return values[.autoFocus] == .integer(1) && values[.autoExposure] == .integer(3)
    }
    #expect(camera.state.withLock(\.current)[SettingsFaultTests.gain] == .integer(55))
  }
}
