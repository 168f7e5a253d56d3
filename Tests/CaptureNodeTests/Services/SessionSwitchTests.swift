import CaptureModel
import CaptureNode
import CaptureSynthetic
import CaptureTestSupport
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
            device: "synthetic-\(camera)",
            format: ActiveFormat(pixelFormat: PixelFormat.yuyv.rawValue, size: Size(width: 320, height: 240)))
        ],
        outputs: [SessionOutput(name: "video", kind: .video)]),
      start: true)
  }

  @Test func aViewerMissesAtMostThreeFramesOfTheNewCamera() async throws {
    #expect(try await longestGap(of: Self.switches, at: "synthetic:320x240@20") <= 3)
  }

  /// So quickly that frames go by while a busy machine switches.
  @Test func aThousandSwitchesLeaveNothingBehind() async throws {
    _ = try await longestGap(of: 1000, at: "synthetic:320x240@120")
  }

  /// A session changes its camera to and fro under a viewer. Returns the most frames of a new camera that the viewer missed, but for those that came
  /// while this process waited for a processor.
  private func longestGap(of switches: Int, at spec: String) async throws -> UInt64 {
    let spec = try SyntheticSpec.parse(spec)!
    let fixture = try await Fixture(SyntheticProvider(cameras: [spec, spec]))
    let sessions = SessionsClient(fixture.client)
    _ = try await sessions.configure(request(0), options: bounded)
    let patient = CallOptions(timeout: .seconds(500))
    var frames = try await fixture.video.subscribe(
      SubscribeRequest(rendition: Rendition(encoding: .raw), session: "door"), options: patient
    ).makeAsyncIterator()
    _ = try await frames.next()
    // Both cameras have run.
    _ = try await sessions.configure(request(1), options: bounded)
    var rest = Int.max
    var longest: UInt64 = 0
    // Timers of a process that has its processors are late by less than a millisecond.
    let witness = LatenessWitness(on: .anyProcessor, every: 1_000_000, tolerance: 1_000_000) { $0 }
    for number in 0..<switches {
      _ = witness.take()
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
      let excused = UInt64(witness.take()) / spec.interval.nanoseconds
      longest = max(longest, missed - min(missed, excused))
      // A camera that was left may still be closing what it had.
      if (2..<12).contains(number) { rest = min(rest, descriptors) }
    }
    await eventually("as many descriptors as after the first switches") { descriptors == rest }
    #expect(descriptors == rest)
    witness.end()
    await fixture.stop()
    return longest
  }

  @Test func aSessionsStreamOutlivesItsCamerasUnplugging() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    _ = try await SessionsClient(fixture.client).configure(request(0), options: bounded)
    var frames = try await fixture.video.subscribe(SubscribeRequest(session: "door"), options: bounded)
      .makeAsyncIterator()
    _ = try await frames.next()
    await provider.camera(0)?.inject(.unplug(.seconds(60)))
    var frame = try await frames.next()
    while frame?.discontinuity != .interrupted { frame = try await frames.next() }
    #expect(frame?.data == nil && frame?.reason.contains("unplugged") == true)
    provider.plugIn(0)
    while frame?.discontinuity != .resumed { frame = try await frames.next() }
    #expect(frame?.data != nil)
    await fixture.stop()
  }
}
