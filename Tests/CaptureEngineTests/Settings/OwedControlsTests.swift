import CaptureControls
import CaptureModel
import CaptureTestSupport
import Synchronization
import Testing

@testable import CaptureEngine

/// What could not be set back, since the camera did not answer, is set back later.
@Suite struct OwedControlsTests {
  private static let gain = ControlID.gain

  /// A camera that does not answer while its gain is to be set back to 7, and what it is reported to have met with.
  private func rig() async throws -> (FakeCamera, Device, [CameraNotice]) {
    let camera = FakeCamera()
    camera.state.withLock { state in
      state.controls = [
        ControlDescription(
          id: Self.gain, name: "gain", label: "Gain", type: .integer, maximum: 255, defaultValue: 1)
      ]
      state.values = [Self.gain: .integer(40)]
    }
    let notices = Mutex<[CameraNotice]>([])
    let engine = CaptureEngine(imaging: .fake()) { notice in notices.withLock { $0.append(notice) } }
    await engine.attach(FakeProvider([camera]))
    let device = try engine.device("0")
    _ = try await device.settings()
    camera.state.withLock { $0.listingsUntilFailure = 0 }
    await device.run { device in
      var before = SettingsTransaction.Before()
      before.controls = [ControlAssignment(Self.gain, .integer(7))]
      guard let camera = device.camera else { return }
      await device.settings.revert(to: before, readsAgain: false, on: camera)
    }
    #expect(camera.state.withLock(\.current)[Self.gain] == .integer(40))
    return (camera, device, notices.withLock { $0 })
  }

  @Test func theyAreReportedAndSetBackWithTheNextStream() async throws {
    let (camera, device, notices) = try await rig()
    #expect(notices.contains { $0.kind == .controlNotRestored && $0.text.contains("does not answer") })
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    await eventually("it is set back") { camera.state.withLock(\.current)[Self.gain] == .integer(7) }
    await device.unsubscribe(subscription)
  }

  @Test func whatAClientHasSetSinceStays() async throws {
    let (camera, device, _) = try await rig()
    var change = SettingsChange()
    change.exposure.gain = 9
    _ = try await device.set(change)
    let subscription = try await device.subscribe(.rawVGA, sink: TestSink(), holder: "1")
    #expect(camera.state.withLock(\.current)[Self.gain] == .integer(9))
    #expect(!camera.state.withLock(\.assignments).contains(ControlAssignment(Self.gain, .integer(7))))
    await device.unsubscribe(subscription)
  }
}
