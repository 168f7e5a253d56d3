import CaptureControls
import CaptureModel
import Testing

@Suite struct FramePlanTests {
  private func plan(
    _ request: VideoRequest, in pixelFormat: PixelFormat = .yuyv, size: String = "640x480",
    isEncodable: Bool = true
  ) throws -> FramePlan {
    let format = StreamFormat(
      pixelFormat: pixelFormat, size: FrameSize(size)!, interval: FrameInterval(rate: 30), planes: [])
    return try FramePlan(
      request,
      in: RunningStream(
        camera: "'cam'", format: format, isEncodable: isEncodable, isTurnable: !pixelFormat.isJPEG,
        holder: .other("client 7 (unix)")))
  }

  @Test func smallerIsScaledAndSlowerIsThinned() throws {
    let plan = try plan(VideoRequest(size: FrameSize("320x240"), rate: 10, quality: 60))
    #expect(plan.delivery == .jpeg(JPEGSettings(size: FrameSize("320x240")!, quality: 60)))
    #expect(plan.rate == 10)
  }

  @Test(arguments: ["320x180", "500x281", "101x57", "16x9", "1278x720"])
  func smallerInProportionGiveOrTakeWholePixelsIsScaled(size: String) throws {
    let size = FrameSize(size)!
    #expect(
      try plan(VideoRequest(size: size), size: "1280x720").delivery
        == .jpeg(JPEGSettings(size: size, quality: 80)))
  }

  @Test func whatWouldDistortThePictureIsRefusedNamingSizesThatDoNot() {
    #expect {
      _ = try plan(VideoRequest(size: FrameSize("640x480")), size: "1280x720")
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .failedPrecondition
        && error?.message.hasSuffix("640x480 would distort the picture; ask for 640x360 or 852x480") == true
    }
  }

  @Test func theStreamsOwnRateIsNotThinned() throws {
    #expect(try plan(VideoRequest(rate: 30)).rate == nil)
    #expect(try plan(VideoRequest(rate: 29.97)).rate == nil)
  }

  @Test func theCamerasJPEGIsUntouchedUnlessSomethingElseWasAsked() throws {
    #expect(try plan(VideoRequest(), in: .mjpeg).delivery == .untouched)
    #expect(try plan(VideoRequest(size: FrameSize("320x240")), in: .mjpeg).delivery != .untouched)
  }

  @Test(arguments: [
    VideoRequest(size: FrameSize("1280x720")), VideoRequest(rate: 60),
    VideoRequest(encoding: .raw, pixelFormat: .bgr3),
    VideoRequest(encoding: .raw, size: FrameSize("320x240")),
  ])
  func moreIsRefusedNamingFormatAndHolder(request: VideoRequest) {
    #expect {
      _ = try plan(request)
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .failedPrecondition
        && error?.message.contains("'cam' streams 640x480 YUYV at 30 fps for client 7 (unix)") == true
    }
  }

  @Test(arguments: Orientation.allCases)
  func turnedPicturesHaveTheirSidesTurned(orientation: Orientation) throws {
    let turn = PictureTransform(orientation: orientation, isMirrored: true)
    let turned = orientation.swapsSides ? FrameSize("480x640")! : FrameSize("640x480")!
    let raw = try plan(VideoRequest(encoding: .raw, transform: turn))
    #expect(raw.delivery == .raw(RawSettings(size: turned, transform: turn)))
    let jpeg = try plan(VideoRequest(quality: 60, transform: turn))
    #expect(jpeg.delivery == .jpeg(JPEGSettings(size: turned, quality: 60, transform: turn)))
    let small = FrameSize("320x240")!.turned(orientation)
    #expect(
      try plan(VideoRequest(size: small, quality: 60, transform: turn)).delivery
        == .jpeg(JPEGSettings(size: small, quality: 60, transform: turn)))
  }

  @Test func quarterTurnedSizesOfTheWrongShapeAreRefused() {
    let turn = PictureTransform(orientation: .clockwise90)
    for (size, words) in [("640x480", "ask for 480x640 or smaller"), ("320x240", "would distort")] {
      #expect {
        _ = try plan(VideoRequest(size: FrameSize(size), transform: turn))
      } throws: {
        ($0 as? CaptureError)?.message.contains(words) == true
      }
    }
  }

  @Test func zoomKeepsTheSizeWhateverTheFactor() throws {
    for factor in [1.1, 2, 7.3] {
      let zoom = try PictureTransform(cropFactor: factor, orientation: .clockwise270)
      let size = FrameSize("480x640")!
      #expect(
        try plan(VideoRequest(encoding: .raw, transform: zoom)).delivery
          == .raw(RawSettings(size: size, transform: zoom)))
      #expect(
        try plan(VideoRequest(size: size, transform: zoom)).delivery
          == .jpeg(JPEGSettings(size: size, quality: 80, transform: zoom, isLosslessPreferred: true)))
    }
  }

  @Test func aCamerasJPEGIsTurnedWithoutLossUnlessAQualityWasAsked() throws {
    let turn = PictureTransform(orientation: .upsideDown)
    for (quality, isLossless) in [(nil, true), (70, false)] {
      let request = VideoRequest(quality: quality, transform: turn)
      guard case .jpeg(let settings) = try plan(request, in: .mjpeg).delivery else {
        Issue.record("not encoded")
        continue
      }
      #expect(settings.isLosslessPreferred == isLossless)
    }
  }

  @Test func whatCannotBeTurnedRawIsRefused() {
    let request = VideoRequest(encoding: .raw, transform: PictureTransform(isMirrored: true))
    let error = #expect(throws: CaptureError.self) { try plan(request, in: .mjpeg) }
    #expect(error?.message.contains("MJPG frames cannot be turned or cropped; ask for JPEG") == true)
  }

  @Test func whatCannotBeEncodedIsRefusedAsJPEG() {
    #expect(throws: CaptureError.self) { try plan(VideoRequest(), isEncodable: false) }
  }

  @Test func aStreamThatIsSlowedByBoundsGivesAllItsFrames() throws {
    let format = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize("640x480")!, interval: FrameInterval(rate: 20), planes: [])
    var stream = RunningStream(
      camera: "'cam'", format: format, isEncodable: true, isTurnable: true, holder: .nobody, isSlowed: true)
    #expect(try FramePlan(VideoRequest(rate: 30), in: stream).rate == nil)
    #expect(try FramePlan(VideoRequest(rate: 10), in: stream).rate == 10)
    stream.isSlowed = false
    let error = #expect(throws: CaptureError.self) { try FramePlan(VideoRequest(rate: 30), in: stream) }
    #expect(
      error?.message == "'cam' gives 640x480 YUYV at 20 fps; 30 fps is more than that; ask for 20 fps or less"
    )
  }

  @Test func aStreamIsSlowedWhereOnlyBoundsKeepItFromMore() {
    let intervals = [60.0, 30, 15].map { FrameInterval(rate: $0)! }
    let size = FrameSize("640x480")!
    let formats = [
      FormatDescription(
        pixelFormat: .yuyv, description: "", sizes: [.init(discrete: size, intervals: .discrete(intervals))])
    ]
    func isSlowed(_ rate: Double, by minimum: Double) -> Bool {
      formats.isSlowed(
        StreamFormat(pixelFormat: .yuyv, size: size, interval: FrameInterval(rate: rate), planes: []),
        by: SettingsChange.FrameDuration(minimum: FrameInterval(rate: minimum), maximum: nil))
    }
    #expect(isSlowed(15, by: 20) && isSlowed(30, by: 30))
    // Its first viewer asked for no more; there would be nothing faster.
    #expect(!isSlowed(15, by: 30) && !isSlowed(60, by: 60))
  }
}
