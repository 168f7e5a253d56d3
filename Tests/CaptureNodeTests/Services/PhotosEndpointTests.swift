import CaptureSynthetic
import CaptureSystem
import CaptureWire
import Testing

@Suite(.timeLimit(.minutes(1))) struct PhotosEndpointTests {
  @Test func aPhotoComesBehindItsProgress() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let before = MonotonicClock.now()
    var events: [PhotoEvent] = []
    for try await event in try await fixture.photos.capture(
      CapturePhotoRequest(camera: "0", quality: 90), options: bounded)
    { events.append(event) }
    #expect(events.map(\.stage) == [.willCapture, .didCapture, .photo])
    let photo = try #require(events.last)
    #expect(photo.data?.bytes.starts(with: [0xFF, 0xD8]) == true)
    #expect(photo.info?.size == Size(width: 320, height: 240))
    #expect(try #require(photo.info).timestampNs >= before)
    await fixture.stop()
  }

  @Test func aStalledCamerasPhotoEndsWithItsDeadline() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    await provider.camera(0)?.inject(.stall(.seconds(5)))
    let start = MonotonicClock.now()
    let error = await status {
      for try await _ in try await fixture.photos.capture(
        CapturePhotoRequest(camera: "0"), options: CallOptions(timeout: .milliseconds(500)))
      {}
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(MonotonicClock.now() - start < 3_000_000_000)
    await fixture.stop()
  }
}
