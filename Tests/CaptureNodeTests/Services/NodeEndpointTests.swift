import CaptureNode
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct NodeEndpointTests {
  @Test func infoNamesMethodsAndListeners() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let info = try await fixture.about.info(InfoRequest(), options: bounded)
    #expect(info.version == CameraNode.version)
    #expect(info.cameras == 1 && info.listeners.count == 1)
    #expect(info.methods.contains("capture.v1.Video/Subscribe"))
    #expect(info.kernel.hasPrefix("Linux "))
    await fixture.stop()
  }

  @Test func statusTellsHowTheNodeIs() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let stream = try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(quality: 50)), options: bounded)
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<10 { _ = try await iterator.next() }
    let status = try await fixture.about.status(StatusRequest(), options: bounded)
    #expect(status.clients == 1 && status.calls >= 1)
    #expect(status.descriptors > 3 && status.descriptors < status.descriptorsLimit)
    #expect(status.residentBytes > 1 << 20 && status.threads > 0 && status.cpuNs > 0)
    let camera = try #require(status.cameras.first)
    #expect(camera.streaming && camera.subscribers == 1 && camera.frames >= 10 && camera.framesEncoded >= 10)
    // A camera that got no turn for a while has to make up for it.
    await eventually("its rate is measured") {
      (try? await fixture.about.status(StatusRequest(), options: bounded).cameras.first?.measuredFps) ?? 0
        > 10
    }
    await fixture.stop()
  }
}
