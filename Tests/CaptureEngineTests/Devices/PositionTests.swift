import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct PositionTests {
  @Test func theConfigurationSaysWhichWayACameraLooks() async throws {
    let camera = FakeCamera(formats: [FakeCamera.format(.yuyv, ["160x120": [30]])])
    let provider = FakeProvider([camera])
    let engine = CaptureEngine(imaging: .standard)
    await engine.setUp(camera.description.id) { $0.position = .front }
    await engine.attach(provider)
    #expect(engine.cameras.map(\.description.position) == [.front])
    await engine.shutDown()
  }
}
