import CaptureModel
import CaptureWire
import Testing

@testable import CaptureClient

/// What a caller asks for, and what cannot be, is refused before a node is asked: on the wire some of it would mean nothing, or something else.
@Suite(.timeLimit(.minutes(1))) struct RefusedRequestsTests {
  private struct Case {
    let asks, field: String
    let call: @Sendable (RemoteNode) async throws -> Void

    init(_ asks: String, _ field: String, _ call: @escaping @Sendable (RemoteNode) async throws -> Void) {
      (self.asks, self.field, self.call) = (asks, field, call)
    }
  }

  private static func photo(
    _ asks: String, _ field: String, _ set: (inout CaptureClient.PhotoSettings) -> Void
  )
    -> [Case]
  {
    var settings = CaptureClient.PhotoSettings()
    set(&settings)
    let wanted = settings
    var timelapse = Timelapse(interval: .seconds(60))
    timelapse.photo = settings
    let steady = timelapse
    return [
      .init(
        "photo: \(asks)", "settings.\(field)",
        { _ = try await $0.camera("0").photoOutput.capturePhoto(wanted) }
      ),
      .init(
        "dry run: \(asks)", "settings.\(field)", { _ = try await $0.camera("0").photoOutput.resolve(wanted) }),
      .init(
        "burst: \(asks)", "settings.\(field)",
        { for try await _ in $0.camera("0").photoOutput.capturePhotos(burst: 2, wanted) {} }
      ),
      .init(
        "bracket: \(asks)", "settings.\(field)",
        { for try await _ in $0.camera("0").photoOutput.capturePhotos(bracket: [.bias(1)], wanted) {} }
      ),
      .init(
        "timelapse: \(asks)", "timelapse.photo.\(field)",
        { _ = try await $0.camera("0").startTimelapse(steady) }
      ),
    ]
  }

  private static func frames(_ asks: String, _ field: String, _ request: VideoRequest) -> [Case] {
    [Case("frames: \(asks)", field, { for try await _ in $0.camera("0").videoOutput.frames(request) {} })]
  }

  private static func with(_ set: (inout VideoRequest) -> Void) -> VideoRequest {
    var request = VideoRequest()
    set(&request)
    return request
  }

  private static var cases: [Case] {
    var cases: [Case] = []
    for quality in [0, -1, 101] {
      cases += photo("a quality of \(quality)", "rendition.quality") { $0.quality = quality }
      cases += frames("a quality of \(quality)", "rendition.quality", VideoRequest(quality: quality))
    }
    cases += photo("no id", "request_id") { $0.requestID = "" }
    cases += photo("settling for -1 s", "settle.longest_ms") { $0.settling = .seconds(-1) }
    cases += photo("settling for 31 s", "settle.longest_ms") { $0.settling = .seconds(31) }
    cases += photo("a size of 0x0", "rendition.size") { $0.size = FrameSize(width: 0, height: 0) }
    cases += photo("a gravity without a size", "rendition.size") { $0.gravity = .fill }
    cases += photo("a moment before one to come", "when.ago_ns") { $0.time = .ago(.seconds(-1)) }
    cases += photo("a shot without a name", "shot") { $0.shot = "" }
    for rate in [0, -1, 0.0001, 1001, .nan] {
      cases += frames("\(rate) a second", "rate", VideoRequest(rate: rate))
    }
    cases += frames("a flash", "flash", VideoRequest(flash: .on))
    cases += frames("settling", "settle", VideoRequest(settling: .seconds(1)))
    cases += frames("bytes as they are", "unchecked", VideoRequest(isChecked: false))
    cases += frames("a picture of no signal", "allow_no_signal", VideoRequest(allowsNoSignal: true))
    cases += frames("tags", "tags", with { $0.tags = [.artist: "Ada"] })
    cases += frames("a shot", "shot", with { $0.shot = "7" })
    cases += frames("no metadata", "without_metadata", with { $0.hasMetadata = false })
    cases += frames(
      "a JPEG's source", "rendition.source_pixel_format", VideoRequest(sourcePixelFormat: .yuyv))
    cases += [
      .init(
        "frames: 0 a second", "rate",
        { for try await _ in $0.camera("0").videoOutput.frames(format: .raw, rate: 0) {} }
      ),
      .init(
        "frames: a window of 0", "window",
        { for try await _ in $0.camera("0").videoOutput.frames(options: StreamOptions(window: 0)) {} }
      ),
      .init(
        "burst of -1", "settings.burst",
        { for try await _ in $0.camera("0").photoOutput.capturePhotos(burst: -1) {} }
      ),
      .init(
        "burst of 0", "settings.burst",
        { for try await _ in $0.camera("0").photoOutput.capturePhotos(burst: 0) {} }
      ),
      .init(
        "dry run: burst of 0", "settings.burst",
        { _ = try await $0.camera("0").photoOutput.resolve(PhotoSettings(), burst: 0) }
      ),
      .init(
        "bracket without a step", "settings.bracket",
        { for try await _ in $0.camera("0").photoOutput.capturePhotos(bracket: []) {} }
      ),
      .init(
        "timelapse of no photo", "timelapse.count",
        { _ = try await $0.camera("0").startTimelapse(Timelapse(interval: .seconds(60), count: 0)) }
      ),
      .init("page of 0", "page_size", { _ = try await $0.library.page(count: 0) }),
      .init("page of 501", "page_size", { _ = try await $0.library.page(count: 501) }),
    ]
    return cases
  }

  @Test func theErrorNamesTheFieldAndNobodyIsAsked() async throws {
    for refused in Self.cases {
      let (asks, field, call) = (refused.asks, refused.field, refused.call)
      let connection = FakeConnection([:])
      let error = await failure { try await call(RemoteNode(connection)) }
      #expect(error?.code == .invalidArgument && error?.details?.field == field, "\(asks): \(error as Any)")
      #expect(connection.requests.isEmpty, "\(asks)")
    }
  }

  /// The node says what it cannot do, so it has to hear of it.
  @Test func aTimelapseSendsAllThatItsPhotosAskFor() async throws {
    let connection = FakeConnection([
      JobsMethods.start: .init(messages: [RawMessage(body: Job(id: "timelapse-1").encoded())])
    ])
    var timelapse = Timelapse(interval: .seconds(60))
    (timelapse.photo.time, timelapse.photo.storing, timelapse.photo.requestID) = (.now, .also, "x")
    timelapse.photo.preview = FrameSize(width: 64, height: 64)
    _ = try await RemoteNode(connection).camera("0").startTimelapse(timelapse)
    let photo = try #require(try StartJobRequest(connection.requests[0]).timelapse?.photo)
    #expect(photo.when?.kind == .now(true) && photo.store == .also && photo.requestID == "x")
    #expect(photo.preview == Size(width: 64, height: 64))
  }
}
