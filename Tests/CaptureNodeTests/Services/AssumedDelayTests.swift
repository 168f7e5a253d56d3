import CaptureModel
import CaptureSynthetic
import CaptureWire
import Testing

/// Which frame has a change, of a camera that nobody knows and that was never calibrated.
@Suite(.timeLimit(.minutes(1))) struct AssumedDelayTests {
  @Test(arguments: 0...5) func theFrameThatIsNamedHasTheChangeHoweverLateTheCameraIs(delay: Int) async throws
  {
    let (fixture, provider) = try await Fixture.synthetic("synthetic:physics:160x120@60,delay=\(delay)")
    let truth = try #require(provider.physicsCamera(0)).truth
    let video = try await fixture.video.subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(encoding: .raw)), options: bounded)
    var frames = video.makeAsyncIterator()
    _ = try await frames.next()
    let viewer = Task { for try await _ in video {} }
    for step in 1...11 {
      let duration = Double(step) / 1000
      let known = truth.effects.count
      let set = try await fixture.settings.set(
        SetSettingsRequest(device: "0", change: .init(exposure: ExposureChange(time: .duration(duration)))),
        options: bounded)
      let applied = try await fixture.settings.awaitChange(
        AwaitChangeRequest(device: "0", change: set.change), options: bounded)
      #expect(applied.provenance == .assumed)
      let named = try #require(applied.frame?.sequence)
      // What the node sets again for the stream's sake comes behind it.
      let effects = truth.effects.dropFirst(known)
      let effect = try #require(effects.first { $0.control == .exposureAbsolute })
      #expect(effect.value == Int64(step * 10))
      #expect(named >= effect.effective, "change \(step): \(effects)")
      // A busy machine leaves frames out.
      if let frame = truth.frame(named) {
        #expect(abs(frame.exposureDuration - duration) < 1e-9, "change \(step): \(frame), \(effects)")
      }
    }
    viewer.cancel()
    await fixture.stop()
  }
}
