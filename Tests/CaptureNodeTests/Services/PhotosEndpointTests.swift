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
      CapturePhotoRequest(device: "0", settings: PhotoSettings(rendition: Rendition(quality: 90))),
      options: bounded)
    { events.append(event) }
    #expect(events.map(\.stage) == [.willBegin, .willCapture, .didCapture, .photo])
    let photo = try #require(events.last)
    #expect(photo.data?.bytes.starts(with: [0xFF, 0xD8]) == true)
    #expect(photo.info?.size == Size(width: 320, height: 240))
    #expect(try #require(photo.info).timestampNs >= before)
    await fixture.stop()
  }

  @Test func aPhotoHasMetadataUnlessNobodyWantsIt() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    func photo(_ settings: PhotoSettings) async throws -> PhotoEvent {
      var photo: PhotoEvent?
      for try await event in try await fixture.photos.capture(
        CapturePhotoRequest(device: "0", settings: settings), options: bounded)
      { photo = event }
      return try #require(photo)
    }
    let name = Array("Exif\0\0".utf8)
    let tag = PhotoTag(name: "Artist", value: "Ada Ä")
    let written = try await photo(PhotoSettings(tags: [tag]))
    let metadata = try #require(written.metadata)
    #expect(
      metadata.device == "synthetic-0" && metadata.model == "Synthetic Camera 0" && metadata.tags == [tag])
    #expect(metadata.bodySerialNumber == "0" && metadata.bodySerialNumberProvenance == .reported)
    #expect(metadata.imageUniqueID.count == 32 && metadata.lens == nil && metadata.location == nil)
    let (taken, utc) = (try #require(metadata.taken), try #require(written.info?.utc))
    #expect(abs(taken.ns - utc.ns) < 100_000_000)
    #expect(written.data?.bytes.firstRange(of: name) != nil)
    #expect(written.data?.bytes.firstRange(of: Array(tag.value.utf8)) != nil)
    let plain = try await photo(PhotoSettings(withoutMetadata: true))
    #expect(plain.metadata == nil && plain.data?.bytes.firstRange(of: name) == nil)
    await fixture.stop()
  }

  @Test func aStalledCamerasPhotoEndsWithItsDeadline() async throws {
    let (fixture, provider) = try await Fixture.synthetic()
    await provider.camera(0)?.inject(.stall(.seconds(5)))
    let start = MonotonicClock.now()
    let error = await status {
      for try await _ in try await fixture.photos.capture(
        CapturePhotoRequest(device: "0"), options: CallOptions(timeout: .milliseconds(500)))
      {}
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(MonotonicClock.now() - start < 3_000_000_000)
    await fixture.stop()
  }

  @Test func aFlashThatTheCameraLacksIsRefusedAndOneThatStaysOffIsNot() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    func photo(_ mode: LightMode) -> CapturePhotoRequest {
      CapturePhotoRequest(device: "0", settings: PhotoSettings(flash: mode))
    }
    for mode in [LightMode.on, .auto] {
      let error = await status {
        for try await _ in try await fixture.photos.capture(photo(mode), options: bounded) {}
      }
      #expect(error?.code == .failedPrecondition && error?.text.contains("its flash can be: off") == true)
    }
    var events = 0
    for try await _ in try await fixture.photos.capture(photo(.off), options: bounded) { events += 1 }
    // It will begin, will capture, did capture, and is there.
    #expect(events == 4)
    await fixture.stop()
  }

  @Test func aPhotoIsCutTurnedAndMirrored() async throws {
    let (fixture, _) = try await Fixture.synthetic()
    let rendition = Rendition(
      crop: Region(x: 0.5, y: 0, width: 0.5, height: 1), orientation: 90, mirrored: true)
    var photo: PhotoEvent?
    for try await event in try await fixture.photos.capture(
      CapturePhotoRequest(device: "0", settings: PhotoSettings(rendition: rendition)), options: bounded)
    { photo = event }
    let info = try #require(photo?.info)
    let source = try #require(info.sourceSize)
    #expect(info.size == Size(width: source.height, height: source.width / 2))
    #expect(info.orientation == 90 && info.mirrored && info.region == rendition.crop)
    await fixture.stop()
  }
}
