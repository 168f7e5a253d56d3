import CaptureControls
import CaptureModel
import Testing

/// Raw frames in a pixel format that the client names, of a stream that runs.
@Suite struct PixelPlanTests {
  private func stream(_ pixelFormat: PixelFormat, _ size: String = "640x480", isEncodable: Bool = true)
    -> RunningStream
  {
    RunningStream(
      camera: "'cam'",
      format: StreamFormat(
        pixelFormat: pixelFormat, size: FrameSize(size)!, interval: FrameInterval(rate: 30), planes: []),
      isEncodable: isEncodable, isTurnable: !pixelFormat.isJPEG, holder: .other("client 7 (unix)"))
  }

  private func request(
    _ pixelFormat: PixelFormat?, _ size: String? = nil, _ transform: PictureTransform = .identity
  ) -> VideoRequest {
    VideoRequest(
      encoding: .raw, pixelFormat: pixelFormat, size: size.flatMap { FrameSize($0) }, transform: transform)
  }

  private func pixels(
    _ target: PixelTarget, _ size: String, _ transform: PictureTransform = .identity
  ) -> FramePlan.Delivery {
    .pixels(PixelSettings(target: target, size: FrameSize(size)!, transform: transform))
  }

  @Test(arguments: PixelTarget.allCases)
  func whatTheCameraGivesIsUntouchedAndTheRestConverted(target: PixelTarget) throws {
    let format = target.pixelFormat
    #expect(PixelTarget(format) == target)
    #expect(try FramePlan(request(format), in: stream(format)).delivery == .untouched)
    #expect(try FramePlan(request(format, "640x480"), in: stream(format)).delivery == .untouched)
    #expect(try FramePlan(request(format), in: stream(.yuyv)).delivery == pixels(target, "640x480"))
    #expect(try FramePlan(request(format), in: stream(.mjpeg)).delivery == pixels(target, "640x480"))
    // Smaller, it is work in any format.
    for own in [format, .yuyv, .mjpeg] {
      #expect(
        try FramePlan(request(format, "320x240"), in: stream(own)).delivery == pixels(target, "320x240"))
    }
    // Turned alone, its samples are only moved.
    let turn = PictureTransform(orientation: .clockwise90)
    let turned = RawSettings(size: FrameSize("480x640")!, transform: turn)
    #expect(try FramePlan(request(format, nil, turn), in: stream(format)).delivery == .raw(turned))
    #expect(
      try FramePlan(request(format, nil, turn), in: stream(.yuyv)).delivery == pixels(target, "480x640", turn)
    )
  }

  @Test func ratesAreThinned() throws {
    var request = request(.ar24)
    request.rate = 10
    #expect(try FramePlan(request, in: stream(.yuyv)).rate == 10)
  }

  @Test func rawFramesWithoutAFormatAreAsTheyWere() throws {
    #expect(try FramePlan(request(nil), in: stream(.yuyv)).delivery == .untouched)
    #expect(throws: CaptureError.self) { try FramePlan(request(nil, "320x240"), in: stream(.nv12)) }
  }

  @Test(arguments: [
    (
      PixelFormat.bgr3, "640x480", true,
      "BGR3 cannot be had until that ends; the node converts to AR24, RGB3, NV12, YU12, GREY"
    ),
    (.ar24, "640x480", false, "AR24 cannot be had until that ends, and cannot be made of that"),
    (.ar24, "1280x960", true, "1280x960 is more than that; ask for 640x480 or smaller"),
    (.nv12, "640x360", true, "640x360 would distort the picture; ask for 640x480 or 480x360"),
    (.yuyv, "320x240", true, "raw frames cannot be scaled to 320x240; ask for 640x480, or for JPEG"),
  ])
  func whatCannotBeIsRefused(pixelFormat: PixelFormat, size: String, isEncodable: Bool, text: String) {
    let error = #expect(throws: CaptureError.self) {
      try FramePlan(request(pixelFormat, size), in: stream(.yuyv, isEncodable: isEncodable))
    }
    #expect(error?.code == .failedPrecondition)
    #expect(error?.message.hasSuffix(text) == true, "\(error?.message ?? "")")
  }

  @Test func oddSidesAreRefusedWhereChromaIsHalved() throws {
    for (size, sizes) in [("321x241", "320x240 or 322x242"), ("639x479", "638x478 or 640x480")] {
      for format in [PixelFormat.nv12, .yu12] {
        let error = #expect(throws: CaptureError.self) {
          try FramePlan(request(format, size), in: stream(.yuyv))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasSuffix("ask for \(sizes)") == true, "\(error?.message ?? "")")
      }
      for target in [PixelTarget.bgra, .rgb24, .grey] {
        #expect(
          try FramePlan(request(target.pixelFormat, size), in: stream(.yuyv)).delivery == pixels(target, size)
        )
      }
    }
    // A camera of odd size: who names no size gets the next smaller one, and nothing larger is named than there is.
    #expect(
      try FramePlan(request(.nv12), in: stream(.yuyv, "321x241")).delivery == pixels(.nv12, "320x240"))
    let error = #expect(throws: CaptureError.self) {
      try FramePlan(request(.nv12, "321x241"), in: stream(.yuyv, "321x241"))
    }
    #expect(error?.message.hasSuffix("ask for 320x240") == true)
  }

  // MARK: The stream goes on in another format

  private func moved(_ delivery: FramePlan.Delivery, from old: RunningStream, to new: RunningStream) throws
    -> FramePlan.Delivery
  {
    try FramePlan(delivery: delivery).moved(from: old.format, to: new).delivery
  }

  @Test func convertedFramesStayInTheirFormat() throws {
    let old = stream(.yuyv)
    #expect(
      try moved(pixels(.bgra, "640x480"), from: old, to: stream(.mjpeg, "720x576"))
        == pixels(.bgra, "720x576"))
    #expect(
      try moved(pixels(.nv12, "320x240"), from: old, to: stream(.mjpeg, "1280x720"))
        == pixels(.nv12, "320x180"))
    #expect(try moved(pixels(.nv12, "640x480"), from: old, to: stream(.nv12)) == .untouched)
    // Sides are made even.
    #expect(
      try moved(pixels(.nv12, "640x480"), from: old, to: stream(.yuyv, "641x481")) == pixels(.nv12, "640x480")
    )
    #expect(
      try moved(pixels(.i420, "640x480"), from: stream(.yuyv, "641x481"), to: stream(.yuyv, "720x576"))
        == pixels(.i420, "720x576"))
    let turn = PictureTransform(orientation: .clockwise90)
    #expect(
      try moved(pixels(.grey, "480x640", turn), from: old, to: stream(.yuyv, "1280x720"))
        == pixels(.grey, "720x1280", turn))
  }

  @Test func whoHadTheCamerasOwnFormatHasItConverted() throws {
    #expect(
      try moved(.untouched, from: stream(.nv12), to: stream(.yuyv, "720x576")) == pixels(.nv12, "720x576"))
    #expect(throws: CaptureError.self) {
      try moved(.untouched, from: stream(.nv12), to: stream(.yuyv, isEncodable: false))
    }
    #expect(throws: CaptureError.self) { try moved(.untouched, from: stream(.yuyv), to: stream(.nv12)) }
  }
}
