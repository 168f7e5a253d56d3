import CaptureControls
import CaptureModel
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct UnreadCalibrationTests {
  @Test func aClientThatDoesNotReadItsCalibrationKeepsTheCameraFromNobody() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["160x120": [30]])])
    camera.state.withLock {
      $0.controls = [
        ControlDescription(
          id: .brightness, name: "brightness", label: "Brightness", type: .integer,
          maximum: 100)
      ]
    }
    let fixture = try await Fixture(FakeProvider([camera]))
    // Whatever is set, frames have nothing but noise.
    let emitting = Task {
      let noise = (0..<4).map { _ in (0..<160 * 120 * 2).map { _ in UInt8.random(in: 100...110) } }
      while !Task.isCancelled {
        // As many as wait to be measured: on a busy machine each sleep takes many times as long.
        for _ in 0..<4 { camera.emit(bytes: noise.randomElement()) }
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
    defer { emitting.cancel() }
    let hesitant = try await ClientConnection.connect(to: fixture.address)
    let unread = try await SettingsClient(hesitant).calibrate(
      CalibrateRequest(device: "0"), options: CallOptions(window: 1))
    await eventually("it has measured") {
      camera.state.withLock { !$0.assignments.isEmpty && $0.stream == nil }
    }
    let settings = SetControlsRequest(
      device: "0", assignments: [.init(name: "brightness", kind: .literal("3"))])
    await eventually("others may change the camera") {
      await status {
        _ = try await fixture.devices.setControls(settings, options: bounded)
      } == nil
    }
    unread.call.cancel()
    await hesitant.close()
    await fixture.stop()
  }
}
