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
      in: RunningStream(camera: "'cam'", format: format, isEncodable: isEncodable, holder: "client 7 (unix)"))
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
    VideoRequest(encoding: .raw, pixelFormat: .nv12),
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

  @Test func whatCannotBeEncodedIsRefusedAsJPEG() {
    #expect(throws: CaptureError.self) { try plan(VideoRequest(), isEncodable: false) }
  }
}
