import CaptureSynthetic
import CaptureTransport
import CaptureWire
import Testing

/// Photos of full size beside a stream, as clients ask for them.
@Suite(.timeLimit(.minutes(1))) struct FullSizeTests {
  private static let small = Size(width: 160, height: 120)

  private static func fixture() async throws -> Fixture {
    try await Fixture(SyntheticProvider(cameras: [try SyntheticSpec.parse("synthetic:640x480@60")!]))
  }

  private static func photo(
    _ client: ClientConnection, _ options: CallOptions = bounded, fullSize: FullSize = .switch
  ) async throws -> Size? {
    let request = CapturePhotoRequest(device: "0", settings: PhotoSettings(fullSize: fullSize))
    var size: Size?
    for try await event in try await PhotosClient(client).capture(request, options: options) {
      size = event.info?.size
    }
    return size
  }

  /// The frames of a viewer behind its first one, scaled to ``small``.
  private static func viewer(_ fixture: Fixture) async throws -> ResponseStream<VideoFrame>.AsyncIterator {
    let frames = try await VideoClient(fixture.client).subscribe(
      SubscribeRequest(device: "0", rendition: Rendition(size: small)), options: bounded)
    var iterator = frames.makeAsyncIterator()
    #expect(try await iterator.next()?.info?.size == small)
    return iterator
  }

  @Test func theViewerKeepsItsStream() async throws {
    let fixture = try await Self.fixture()
    var iterator = try await Self.viewer(fixture)
    let other = try await ClientConnection.connect(to: fixture.address)
    #expect(try await Self.photo(other, fullSize: .stream) == Self.small)
    async let photo = Self.photo(other)
    var (kinds, last): ([Discontinuity], VideoFrame?) = ([], nil)
    while kinds.isEmpty, let frame = try await iterator.next() {
      if frame.discontinuity != .none { kinds.append(frame.discontinuity) }
      last = frame
    }
    #expect(try await photo == Size(width: 640, height: 480))
    #expect(kinds == [.reconfigured] && last?.info?.size == Self.small)
    #expect(last?.reason == "a photo of 640x480 was taken")
    await other.close()
    await fixture.stop()
  }

  @Test func ofAStreamThatStaysLargeItTakesOneChange() async throws {
    let fixture = try await Self.fixture()
    var iterator = try await Self.viewer(fixture)
    let other = try await ClientConnection.connect(to: fixture.address)
    async let photos = (Self.photo(other, fullSize: .big), Self.photo(other, fullSize: .big))
    var reasons: [String] = []
    while reasons.isEmpty, let frame = try await iterator.next() {
      if frame.discontinuity != .none { reasons.append(frame.reason) }
      #expect(frame.info?.size == Self.small)
    }
    let (first, second) = try await photos
    #expect([first, second] == [Size(width: 640, height: 480), Size(width: 640, height: 480)])
    // Further photos of the stream are as large without asking.
    #expect(try await Self.photo(other, fullSize: .stream) == Size(width: 640, height: 480))
    for _ in 0..<5 {
      guard let frame = try await iterator.next() else { break }
      if frame.discontinuity != .none { reasons.append(frame.reason) }
      #expect(frame.info?.size == Self.small)
    }
    #expect(reasons.count == 1 && reasons[0].hasPrefix("the camera runs in 640x480"))
    await other.close()
    await fixture.stop()
  }

  @Test(arguments: [FullSize.switch, .big])
  func itNeedsTheLeaseThatAnotherClientHas(fullSize: FullSize) async throws {
    let fixture = try await Self.fixture()
    let holder = try await ClientConnection.connect(to: fixture.address)
    let lease = try await LeasesClient(holder).acquire(
      AcquireLeaseRequest(device: "0", durationMs: 60_000, holder: "studio-a"), options: bounded)
    let refusal = await status { _ = try await Self.photo(fixture.client, fullSize: fullSize) }
    #expect(refusal?.code == .failedPrecondition && refusal?.text.contains("studio-a") == true)
    let free = await status { _ = try await Self.photo(fixture.client, fullSize: .stream) }
    #expect(free == nil)
    let token = CallMetadata(key: "lease", value: Array(lease.token.utf8))
    let held = await status {
      _ = try await Self.photo(
        holder, CallOptions(timeout: .seconds(20), metadata: [token]), fullSize: fullSize)
    }
    #expect(held == nil)
    await holder.close()
    await fixture.stop()
  }
}
