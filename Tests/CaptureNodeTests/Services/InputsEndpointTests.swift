import CaptureModel
import CaptureSynthetic
import CaptureTestSupport
import CaptureTransport
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct InputsEndpointTests {
  @Test func anInputIsListedAndChosen() async throws {
    let fixture = try await Fixture(SyntheticProvider(cameras: [.standard]))
    let devices = DevicesClient(fixture.client)
    let listed = try await devices.inputs(InputsRequest(device: "0"), options: bounded).inputs
    #expect(listed.map(\.name) == ["Synthetic 0", "Synthetic 1"])
    #expect(listed.map(\.selected) == [true, false])
    #expect(listed.map(\.status) == [.ready, .unspecified])
    let chosen = try await devices.selectInput(
      SelectInputRequest(device: "0", input: "synthetic 1"), options: bounded
    ).inputs
    #expect(chosen.map(\.selected) == [false, true])
    let refusal = await status {
      _ = try await devices.selectInput(
        SelectInputRequest(device: "0", input: "HDMI"), options: bounded)
    }
    #expect(refusal?.code == .notFound)
    #expect(refusal?.text.contains("1 'Synthetic 1'") == true)
  }

  @Test func theStatusHasTheInputInUse() async throws {
    let camera = FakeCamera()
    camera.state.withLock { state in
      state.inputs = [
        CaptureModel.CameraInput(index: 0, name: "HDMI 0", isSelected: true, status: .unstable)
      ]
    }
    let fixture = try await Fixture(FakeProvider([camera]))
    _ = try await DevicesClient(fixture.client).formats(FormatsRequest(device: "0"), options: bounded)
    let status = try await NodeClient(fixture.client).status(StatusRequest(), options: bounded)
    #expect(status.cameras[0].input?.name == "HDMI 0")
    #expect(status.cameras[0].input?.status == .unstable)
  }
}
