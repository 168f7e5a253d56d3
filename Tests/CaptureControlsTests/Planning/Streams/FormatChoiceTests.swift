import CaptureControls
import CaptureModel
import Testing

@Suite struct FormatChoiceTests {
  private static func format(_ pixelFormat: PixelFormat, _ sizes: KeyValuePairs<String, [Double]>)
    -> FormatDescription
  {
    FormatDescription(
      pixelFormat: pixelFormat, description: "", isCompressed: pixelFormat.isJPEG,
      sizes: sizes.map { size, rates in
        SizeOption(
          discrete: FrameSize(size)!,
          intervals: rates.isEmpty ? .unknown : .discrete(rates.map { FrameInterval(rate: $0)! }.sorted()))
      })
  }

  /// As a common webcam: raw is slow where it is large, JPEG is not.
  static let webcam = [
    format(.yuyv, ["640x480": [30, 15], "1280x720": [10], "1920x1080": [5]]),
    format(.mjpeg, ["640x480": [30], "1280x720": [60, 30], "1920x1080": [30]]),
  ]

  private func choose(
    _ request: VideoRequest, _ formats: [FormatDescription] = webcam, preferred: FrameSize? = nil,
    for purpose: FormatChoice.Purpose = .video
  ) throws -> String {
    let choice = FormatChoice(
      camera: "'cam'", formats: formats, preferredSize: preferred,
      isEncodable: { [.yuyv, .nv12, .mjpeg].contains($0) }, isTurnable: { [.yuyv, .nv12].contains($0) })
    let chosen = try choice.choose(request, for: purpose)
    return "\(chosen.pixelFormat) \(chosen.size) \(chosen.interval?.description ?? "any")"
  }

  @Test func jpegIsTheCamerasOwnWhereNothingElseWasAsked() throws {
    #expect(try choose(VideoRequest()) == "MJPG 1280x720 30 fps")
    #expect(try choose(VideoRequest(size: FrameSize("640x480"))) == "MJPG 640x480 30 fps")
  }

  @Test func aTurnedPictureComesFromOneWithItsSidesTurned() throws {
    let turn = PictureTransform(orientation: .clockwise90)
    #expect(
      try choose(VideoRequest(size: FrameSize("480x640"), transform: turn)) == "MJPG 640x480 30 fps")
    #expect(
      try choose(VideoRequest(encoding: .raw, size: FrameSize("480x640"), transform: turn))
        == "YUYV 640x480 30 fps")
    #expect(throws: CaptureError.self) {
      try choose(VideoRequest(size: FrameSize("640x480"), transform: turn))
    }
  }

  @Test func zoomIsEncodedFromRawFrames() throws {
    let zoom = try PictureTransform(cropFactor: 2)
    #expect(
      try choose(VideoRequest(size: FrameSize("640x480"), transform: zoom)) == "YUYV 640x480 30 fps")
  }

  @Test func rawFramesOfACameraOfJPEGsCannotBeTurned() {
    let turn = PictureTransform(isMirrored: true)
    let error = #expect(throws: CaptureError.self) {
      try choose(VideoRequest(encoding: .raw, pixelFormat: .mjpeg, transform: turn))
    }
    #expect(error?.message.contains("cannot be turned or cropped raw; ask for JPEG") == true)
  }

  @Test func aQualityIsEncodedFromRawFramesThatReachTheRateElseFromTheCamerasJPEG() throws {
    #expect(try choose(VideoRequest(size: FrameSize("640x480"), quality: 50)) == "YUYV 640x480 30 fps")
    #expect(
      try choose(VideoRequest(size: FrameSize("1280x720"), rate: 30, quality: 50)) == "MJPG 1280x720 30 fps")
  }

  @Test func aRateThatIsNotOfferedIsTakenFromTheNextHigherOne() throws {
    #expect(
      try choose(VideoRequest(size: FrameSize("640x480"), rate: 12, quality: 50)) == "YUYV 640x480 15 fps")
    #expect(try choose(VideoRequest(size: FrameSize("1280x720"), rate: 40)) == "MJPG 1280x720 60 fps")
  }

  @Test func rawIsTheFirstUncompressedFormatUnlessOneWasAsked() throws {
    #expect(try choose(VideoRequest(encoding: .raw)) == "YUYV 640x480 30 fps")
    #expect(try choose(VideoRequest(encoding: .raw, pixelFormat: .mjpeg)) == "MJPG 1280x720 30 fps")
  }

  @Test func aPhotoTakesTheLargestSize() throws {
    #expect(try choose(VideoRequest(), for: .photo) == "MJPG 1920x1080 30 fps")
  }

  @Test func aPhotoIsEncodedFromRawFramesWhereTheyAreQuick() throws {
    #expect(try choose(VideoRequest(size: FrameSize("1280x720")), for: .photo) == "YUYV 1280x720 10 fps")
    let quick = [
      Self.format(.mjpeg, ["1280x720": [30], "1920x1080": [30]]), Self.format(.yuyv, ["1920x1080": [15]]),
    ]
    #expect(try choose(VideoRequest(), quick, for: .photo) == "YUYV 1920x1080 15 fps")
    #expect(
      try choose(VideoRequest(size: FrameSize("1280x720")), quick, for: .photo) == "MJPG 1280x720 30 fps")
  }

  @Test func thePreferredSizeIsTakenWhereNoneWasAsked() throws {
    #expect(try choose(VideoRequest(), preferred: FrameSize("640x480")) == "MJPG 640x480 30 fps")
    #expect(
      try choose(VideoRequest(size: FrameSize("1280x720")), preferred: FrameSize("640x480"))
        == "MJPG 1280x720 30 fps")
  }

  @Test func aSlowCameraGivesTheLargestSizeThatIsQuickEnough() throws {
    let vivid = [
      Self.format(.yuyv, ["320x180": [60, 30], "640x360": [60, 30], "1280x720": [12.5], "1920x1080": [5]])
    ]
    #expect(try choose(VideoRequest(), vivid) == "YUYV 640x360 30 fps")
  }

  @Test func rangesGiveTheExactRateAndTheDriversChoiceWithoutOne() throws {
    let range = IntervalOptions.range(
      minimum: FrameInterval(rate: 120)!, maximum: FrameInterval(rate: 1)!, step: nil)
    let formats = [
      FormatDescription(
        pixelFormat: .yuyv, description: "",
        sizes: [
          SizeOption(
            from: FrameSize("16x16")!, to: FrameSize("1920x1080")!, step: FrameSize("2x2")!, intervals: range)
        ])
    ]
    #expect(try choose(VideoRequest(rate: 17), formats) == "YUYV 1280x720 17 fps")
    #expect(try choose(VideoRequest(size: FrameSize("100x50")), formats) == "YUYV 100x50 any")
  }

  @Test(arguments: [
    (VideoRequest(size: FrameSize("1000x1000")), "offers no 1000x1000 as JPEG; nearest: 1280x720, 640x480"),
    (
      VideoRequest(size: FrameSize("1920x1080"), rate: 60),
      "does not reach 60 fps at 1920x1080; the most is 30 fps"
    ),
    (VideoRequest(encoding: .raw, pixelFormat: .nv12), "offers no NV12; it offers: YUYV, MJPG"),
    (VideoRequest(quality: 101), "from 1 to 100"),
    (VideoRequest(rate: 1001), "at most 1000"),
    (VideoRequest(rate: .nan), "at most 1000"),
    (VideoRequest(rate: 1e-20), "from 0.001"),
    (VideoRequest(size: FrameSize(width: 0, height: 10)), "from 1 to 65535"),
    (VideoRequest(encoding: .raw, quality: 5), "raw frames have none"),
  ])
  func whatCannotBeIsRefusedWithWhatCan(request: VideoRequest, text: String) {
    #expect {
      _ = try choose(request)
    } throws: {
      let error = $0 as? CaptureError
      return error?.code == .invalidArgument && error?.message.contains(text) == true
    }
  }
}
