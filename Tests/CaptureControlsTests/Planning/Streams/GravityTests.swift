import CaptureModel
import Testing

@testable import CaptureControls

@Suite struct GravityTests {
  private func plan(
    _ gravity: VideoGravity, _ size: String, of source: String = "640x480",
    encoding: VideoRequest.Encoding = .jpeg, pixelFormat: PixelFormat? = nil,
    transform: PictureTransform = .identity
  ) throws -> FramePlan {
    let format = StreamFormat(
      pixelFormat: .yuyv, size: FrameSize(source)!, interval: FrameInterval(rate: 30), planes: [])
    return try FramePlan(
      VideoRequest(
        encoding: encoding, pixelFormat: pixelFormat, size: FrameSize(size)!, gravity: gravity,
        transform: transform), in: stream(format))
  }

  private func stream(_ format: StreamFormat) -> RunningStream {
    RunningStream(camera: "'cam'", format: format, isEncodable: true, isTurnable: true, holder: .nobody)
  }

  private func settings(_ plan: FramePlan) -> JPEGSettings? {
    if case .jpeg(let settings) = plan.delivery { settings } else { nil }
  }

  @Test(arguments: [
    ("300x300", "300x224"), ("320x100", "132x100"), ("2000x2000", "640x480"), ("640x10000", "640x480"),
  ])
  func aspectIsTheLargestThatFits(size: String, expected: String) throws {
    let settings = try #require(settings(try plan(.aspect, size)))
    #expect(settings.size == FrameSize(expected) && settings.transform == .identity)
  }

  @Test func fillIsExactlyTheSizeAndTheMiddleOfThePicture() throws {
    let settings = try #require(settings(try plan(.fill, "300x300")))
    #expect(settings.size == FrameSize("300x300"))
    let crop = settings.transform.crop
    #expect(abs(crop.x - 0.125) < 1e-9 && abs(crop.width - 0.75) < 1e-9 && crop.y == 0 && crop.height == 1)
    #expect(settings.transform.size(of: FrameSize("640x480")!) == FrameSize("480x480"))
  }

  @Test func fillCutsTheTurnedPicture() throws {
    let turned = PictureTransform(orientation: .clockwise90, isMirrored: true)
    let settings = try #require(settings(try plan(.fill, "240x240", transform: turned)))
    #expect(settings.transform.orientation == .clockwise90 && settings.transform.isMirrored)
    #expect(settings.transform.size(of: FrameSize("640x480")!) == FrameSize("480x480"))
  }

  @Test func resizeDistorts() throws {
    let settings = try #require(settings(try plan(.resize, "100x480")))
    #expect(settings.size == FrameSize("100x480") && settings.transform == .identity)
  }

  @Test(arguments: [VideoGravity.fill, .resize])
  func nothingIsEnlarged(gravity: VideoGravity) {
    #expect {
      _ = try plan(gravity, "641x480")
    } throws: { ($0 as? CaptureError)?.code == .failedPrecondition }
  }

  @Test func rawFramesOfAWantedFormatHaveItToo() throws {
    let converted = try plan(.fill, "200x200", encoding: .raw, pixelFormat: .ar24)
    guard case .pixels(let settings) = converted.delivery else {
      Issue.record("\(converted)")
      return
    }
    #expect(settings.size == FrameSize("200x200") && settings.transform.crop.width < 1)
  }

  @Test func aStreamThatChangesIsPlacedAnewAndBack() throws {
    let old = StreamFormat(pixelFormat: .yuyv, size: FrameSize("1920x1080")!, interval: nil, planes: [])
    let new = StreamFormat(pixelFormat: .yuyv, size: FrameSize("640x480")!, interval: nil, planes: [])
    for gravity in VideoGravity.allCases {
      let plan = try plan(gravity, "480x480", of: "1920x1080")
      let moved = try plan.moved(from: old, to: stream(new))
      let expected = gravity == .aspect ? "480x360" : "480x480"
      #expect(settings(moved)?.size == FrameSize(expected))
      #expect(try moved.moved(from: new, to: stream(old)) == plan)
    }
  }

  @Test func anIdleCameraIsSetToTheSmallestSizeThatIsEnough() throws {
    let interval = IntervalOptions.discrete([FrameInterval(rate: 30)!])
    let sizes = ["320x240", "640x480", "1280x720", "1920x1080"].map {
      SizeOption(discrete: FrameSize($0)!, intervals: interval)
    }
    let choice = FormatChoice(
      camera: "it", formats: [FormatDescription(pixelFormat: .yuyv, description: "", sizes: sizes)],
      isEncodable: { _ in true })
    func chosen(_ size: String, _ gravity: VideoGravity, _ transform: PictureTransform = .identity) throws
      -> FrameSize
    {
      try choice.choose(
        VideoRequest(size: FrameSize(size)!, gravity: gravity, transform: transform)
      ).size
    }
    #expect(try chosen("600x600", .fill) == FrameSize("1280x720"))
    #expect(try chosen("400x400", .fill) == FrameSize("640x480"))
    #expect(try chosen("600x600", .aspect) == FrameSize("640x480"))
    #expect(try chosen("700x300", .resize) == FrameSize("1280x720"))
    #expect(try chosen("4000x4000", .aspect) == FrameSize("1920x1080"))
    #expect(try chosen("400x600", .fill, .init(orientation: .clockwise90)) == FrameSize("640x480"))
  }
}
