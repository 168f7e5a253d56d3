import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct SettingsWatchBoundTests {
  /// A client's watch begins while another, which came before, waits until the controls are read.
  @Test func whoeverWaitedForTheControlsIsNotOneTooMany() async throws {
    let camera = FakeCamera()
    let device = try await engine(camera).device("0")
    _ = try await device.settings()
    let most = NodeLimit.settingsWatchesPerCamera.usual
    var watches: [SettingsWatch] = []
    for _ in 1..<most { watches.append(try await device.watchSettings([])) }
    camera.state.withLock { $0.holdsControls = true }
    await device.run { $0.settings.controls.forget() }
    let late = Task { try await device.watchSettings([]) }
    await eventually("it waits for the controls") { camera.state.withLock { !$0.heldControls.isEmpty } }
    watches.append(await device.run { $0.settings.watchers.add([]) {} })
    camera.releaseControls()
    let error = await refusal { _ = try await late.value }
    #expect(error?.code == .resourceExhausted && error?.details?.limit == "settingsWatchesPerCamera")
    withExtendedLifetime(watches) {}
  }
}
