import CaptureControls
import CaptureModel
import Testing

/// The stream of an idle camera for raw frames in a pixel format that the client names.
@Suite struct PixelChoiceTests {
  private static func format(_ pixelFormat: PixelFormat, _ sizes: KeyValuePairs<String, Double>)
    -> FormatDescription
  {
    FormatDescription(
      pixelFormat: pixelFormat, description: "", isCompressed: pixelFormat.isJPEG,
      sizes: sizes.map { size, rate in
        SizeOption(discrete: FrameSize(size)!, intervals: .discrete([FrameInterval(rate: rate)!]))
      })
  }

  private static let webcam = [
    format(.mjpeg, ["640x480": 30, "1280x720": 30]), format(.yuyv, ["640x480": 30, "1280x720": 10]),
  ]

  private func choose(_ request: VideoRequest, _ formats: [FormatDescription] = webcam, converts: Bool = true)
    throws -> String
  {
    var choice = FormatChoice(
      camera: "'cam'", formats: formats, isEncodable: { [.yuyv, .nv12, .mjpeg].contains($0) },
      isTurnable: { [.yuyv, .nv12].contains($0) })
    choice.converts = converts
    let chosen = try choice.choose(request)
    return "\(chosen.pixelFormat) \(chosen.size) \(chosen.interval?.description ?? "any")"
  }

  private func raw(_ pixelFormat: PixelFormat, _ size: String? = nil, rate: Double? = nil) -> VideoRequest {
    VideoRequest(
      encoding: .raw, pixelFormat: pixelFormat, size: size.flatMap { FrameSize($0) }, rate: rate)
  }

  @Test(arguments: PixelTarget.allCases.filter { $0 != .nv12 })
  func theFormatThatCostsLeastIsConverted(target: PixelTarget) throws {
    let format = target.pixelFormat
    #expect(try choose(raw(format, "640x480")) == "YUYV 640x480 30 fps")
    #expect(try choose(raw(format, "1280x720", rate: 30)) == "MJPG 1280x720 30 fps")
    // As for a JPEG that the node encodes.
    #expect(try choose(raw(format)) == choose(VideoRequest(quality: 80)))
  }

  @Test func whatTheCameraGivesIsTakenAsItIs() throws {
    let formats = Self.webcam + [Self.format(.nv12, ["640x480": 30, "320x240": 30])]
    #expect(try choose(raw(.nv12), formats) == "NV12 640x480 30 fps")
    #expect(try choose(raw(.nv12, "320x240"), formats) == "NV12 320x240 30 fps")
    // Not at that size, nor that fast.
    #expect(try choose(raw(.nv12, "1280x720", rate: 10), formats) == "YUYV 1280x720 10 fps")
    let slow = Self.webcam + [Self.format(.nv12, ["640x480": 5])]
    #expect(try choose(raw(.nv12, "640x480", rate: 30), slow) == "YUYV 640x480 30 fps")
    // Other formats are the camera's own.
    #expect(try choose(raw(.yuyv, "1280x720")) == "YUYV 1280x720 10 fps")
    #expect(try choose(raw(.mjpeg)) == "MJPG 1280x720 30 fps")
  }

  @Test func aSessionsFormatIsTheCamerasOwn() {
    let error = #expect(throws: CaptureError.self) { try choose(raw(.nv12), converts: false) }
    #expect(error?.message == "'cam' offers no NV12; it offers: MJPG, YUYV")
  }

  @Test(arguments: [
    (
      PixelFormat.bgr3, nil,
      "offers no BGR3; it offers: MJPG, YUYV; the node converts to AR24, RGB3, NV12, YU12, GREY"
    ),
    (.nv12, "641x481", "offers no 641x481 as NV12; nearest: 640x480, 1280x720"),
    (.ar24, "1000x1000", "offers no 1000x1000 as AR24; nearest: 1280x720, 640x480"),
  ])
  func whatCannotBeIsRefusedWithWhatCan(pixelFormat: PixelFormat, size: String?, text: String) {
    let error = #expect(throws: CaptureError.self) { try choose(raw(pixelFormat, size)) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasSuffix(text) == true, "\(error?.message ?? "")")
  }

  @Test func theSourceIsTheOneThatIsNamed() throws {
    func from(_ source: PixelFormat, _ target: PixelFormat, _ size: String? = nil) -> VideoRequest {
      var request = raw(target, size)
      request.sourcePixelFormat = source
      return request
    }
    #expect(try choose(from(.mjpeg, .ar24, "640x480")) == "MJPG 640x480 30 fps")
    #expect(try choose(from(.yuyv, .ar24, "1280x720")) == "YUYV 1280x720 10 fps")
    #expect(try choose(from(.yuyv, .yuyv, "1280x720")) == "YUYV 1280x720 10 fps")
    let formats = Self.webcam + [Self.format(.nv12, ["640x480": 30])]
    #expect(try choose(from(.mjpeg, .nv12, "640x480"), formats) == "MJPG 640x480 30 fps")
    let unknown = #expect(throws: CaptureError.self) { try choose(from(.nv12, .ar24)) }
    #expect(unknown?.message == "'cam' offers no NV12 to convert; it offers: MJPG, YUYV")
    #expect(
      unknown?.details?.field == "source_pixel_format" && unknown?.details?.possible == ["MJPG", "YUYV"])
    // Only the five targets are converted into.
    let other = #expect(throws: CaptureError.self) { try choose(from(.mjpeg, .yuyv)) }
    #expect(other?.details?.field == "pixel_format")
    var jpeg = VideoRequest(pixelFormat: .yuyv)
    jpeg.sourcePixelFormat = .mjpeg
    #expect(throws: CaptureError.self) { try choose(jpeg) }
  }

  @Test func aRunningStreamIsConvertedOnlyFromItsOwnFormat() throws {
    let format = StreamFormat(
      pixelFormat: .mjpeg, size: FrameSize(width: 640, height: 480), interval: nil, planes: [])
    let stream = RunningStream(
      camera: "'cam'", format: format, isEncodable: true, isTurnable: false, holder: .other("client 1"))
    var request = raw(.ar24)
    request.sourcePixelFormat = .mjpeg
    let settings = PixelSettings(target: .bgra, size: format.size)
    #expect(try FramePlan(request, in: stream).delivery == .pixels(settings))
    request.sourcePixelFormat = .yuyv
    let held = #expect(throws: CaptureError.self) { try FramePlan(request, in: stream) }
    #expect(held?.code == .failedPrecondition && held?.details?.reason == .heldByStream)
    #expect(held?.details?.field == "source_pixel_format" && held?.details?.possible == ["MJPG"])
    // What goes on after a change is converted from what there is.
    #expect(try FramePlan(nearest: request, in: stream).delivery == .pixels(settings))
  }

  @Test func whatNobodyReadsIsNotConverted() {
    let formats = [Self.format(PixelFormat("H264")!, ["640x480": 30])]
    let error = #expect(throws: CaptureError.self) { try choose(raw(.ar24), formats) }
    #expect(
      error?.message
        == "'cam' offers no AR24, and it cannot be made of what it offers: H264; the node converts to "
        + PixelTarget.list)
  }
}
