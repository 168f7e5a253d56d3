import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SessionSwitchTests {
  /// `SESSION_SWITCHES` in the environment: how many.
  private static let switches =
    ProcessInfo.processInfo.environment["SESSION_SWITCHES"].flatMap { Int($0) } ?? 100

  private var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  private func request(_ camera: Int) -> ConfigureSessionRequest {
    ConfigureSessionRequest(
      session: "door",
      configuration: CaptureWire.SessionConfiguration(
        inputs: [
          SessionInput(
            camera: "synthetic-\(camera)",
            format: ActiveFormat(pixelFormat: PixelFormat.yuyv.rawValue, size: Size(width: 320, height: 240)))
        ],
        outputs: [SessionOutput(name: "video", kind: .video)]),
      start: true)
  }

  @Test func aViewerMissesAtMostThreeFramesOfTheNewCameraAndNothingIsLeftBehind() async throws {
    let spec = try SyntheticSpec.parse("synthetic:320x240@20")!
    let fixture = try await Fixture(SyntheticProvider(cameras: [spec, spec]))
    let sessions = SessionsClient(fixture.client)
    _ = try await sessions.configure(request(0), options: bounded)
    let patient = CallOptions(timeout: .seconds(500))
    var frames = try await fixture.video.subscribe(
      SubscribeRequest(encoding: .raw, session: "door"), options: patient
    ).makeAsyncIterator()
    _ = try await frames.next()
    // Both cameras have run.
    _ = try await sessions.configure(request(1), options: bounded)
    var before = 0
    var longest: UInt64 = 0
    for number in 0..<Self.switches {
      if number == 2 { before = descriptors }
      _ = try await sessions.configure(request(number % 2), options: bounded)
      var frame = try await frames.next()
      // The one before may only be seen now.
      while let seen = frame,
        seen.discontinuity != .reconfigured
          || !seen.reason.contains("'synthetic-\(number % 2)' now instead of")
      { frame = try await frames.next() }
      let new = try #require(frame)
      // Those that were there and made way for newer ones were not missed for the switch.
      let missed = new.info!.sequence - min(new.info!.sequence, new.discarded)
      longest = max(longest, missed)
    }
    #expect(longest <= 3)
    #expect(descriptors <= before + 1, "\(before) before, \(descriptors) after")
    await fixture.stop()
  }

  @Test func aSessionsStreamOutlivesItsCamerasUnplugging() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    _ = try await SessionsClient(fixture.client).configure(request(0), options: bounded)
    var frames = try await fixture.video.subscribe(SubscribeRequest(session: "door"), options: bounded)
      .makeAsyncIterator()
    _ = try await frames.next()
    await provider.camera(0)?.inject(.unplug(.milliseconds(50)))
    var frame = try await frames.next()
    while frame?.discontinuity != .interrupted { frame = try await frames.next() }
    #expect(frame?.data == nil && frame?.reason.contains("unplugged") == true)
    while frame?.discontinuity != .resumed { frame = try await frames.next() }
    #expect(frame?.data != nil)
    await fixture.stop()
  }
}
