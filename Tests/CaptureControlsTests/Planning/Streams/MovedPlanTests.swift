import CaptureControls
import CaptureModel
import Testing

@Suite struct MovedPlanTests {
  private static func format(_ size: FrameSize, _ pixelFormat: PixelFormat = .yuyv) -> StreamFormat {
    StreamFormat(pixelFormat: pixelFormat, size: size, interval: FrameInterval(rate: 50), planes: [])
  }
  private static let hd = FrameSize(width: 1280, height: 720)
  private static let pal = FrameSize(width: 720, height: 576)

  private func moved(_ plan: FramePlan, from old: StreamFormat = format(hd), to new: StreamFormat)
    throws -> FramePlan
  {
    try plan.moved(
      from: old,
      to: RunningStream(
        camera: "'card'", format: new, isEncodable: true, isTurnable: true, holder: .nobody))
  }

  @Test func whoHadTheCamerasSizeHasItAgain() throws {
    let plan = FramePlan(delivery: .jpeg(JPEGSettings(size: Self.hd, quality: 70)), rate: 5)
    let moved = try moved(plan, to: Self.format(Self.pal))
    #expect(moved == FramePlan(delivery: .jpeg(JPEGSettings(size: Self.pal, quality: 70)), rate: 5))
  }

  @Test func whoHadASmallerSizeHasTheNearestToItInTheNewShape() throws {
    let small = FrameSize(width: 640, height: 360)
    let plan = FramePlan(delivery: .jpeg(JPEGSettings(size: small, quality: 70)))
    #expect(try moved(plan, to: Self.format(FrameSize(width: 1920, height: 1080))) == plan)
    guard case .jpeg(let settings) = try moved(plan, to: Self.format(Self.pal)).delivery else {
      Issue.record("no JPEG")
      return
    }
    #expect(settings.size == FrameSize(width: 450, height: 360))
  }

  @Test func rawFramesOfAnotherPixelFormatCannotBe() throws {
    let plan = FramePlan(delivery: .untouched)
    #expect(try moved(plan, to: Self.format(Self.pal)) == plan)
    #expect {
      _ = try moved(plan, to: Self.format(Self.pal, .mjpeg))
    } throws: {
      ($0 as? CaptureError)?.code == .failedPrecondition
    }
  }

  @Test func aCamerasJPEGIsMadeByTheNodeWhereTheCameraHasNoneNow() throws {
    let moved = try moved(
      FramePlan(delivery: .untouched), from: Self.format(Self.hd, .mjpeg), to: Self.format(Self.pal))
    guard case .jpeg(let settings) = moved.delivery else {
      Issue.record("no JPEG")
      return
    }
    #expect(settings.size == Self.pal)
  }
}
