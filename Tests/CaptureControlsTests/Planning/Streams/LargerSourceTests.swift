import CaptureModel
import Testing

@testable import CaptureControls

/// How the frames of a small stream are made of larger ones.
@Suite struct LargerSourceTests {
  private static let vga = FrameSize(width: 640, height: 480)

  private func source(of pixelFormat: PixelFormat, _ size: FrameSize = vga) -> LargerSource {
    func format(_ size: FrameSize, _ pixelFormat: PixelFormat) -> StreamFormat {
      StreamFormat(pixelFormat: pixelFormat, size: size, interval: FrameInterval(rate: 30)!, planes: [])
    }
    return LargerSource(
      format(FrameSize(width: 1920, height: 1080), .mjpeg), insteadOf: format(size, pixelFormat))
  }

  @Test func theMiddleInTheStreamsShapeIsKept() throws {
    let part = source(of: .mjpeg).part
    #expect(part.size(of: FrameSize(width: 1920, height: 1080)) == FrameSize(width: 1440, height: 1080))
    #expect(abs(part.crop.center.x - 0.5) < 1e-9 && part.crop.y == 0)
    #expect(source(of: .mjpeg, FrameSize(width: 640, height: 360)).part.isIdentity)
    let square = source(of: .mjpeg, FrameSize(width: 480, height: 480)).part
    #expect(square.size(of: FrameSize(width: 1920, height: 1080)) == FrameSize(width: 1080, height: 1080))
  }

  @Test func aCamerasOwnJPEGIsEncodedAgain() throws {
    guard case .jpeg(let settings) = source(of: .mjpeg).delivery(.untouched) else {
      Issue.record("no JPEG")
      return
    }
    #expect(settings.size == Self.vga && settings.quality == 80 && settings.decodesPart)
  }

  @Test func aTransformIsOfTheMiddle() throws {
    let quarter = try PictureTransform(
      crop: NormalizedRect(x: 0, y: 0, width: 0.5, height: 0.5), orientation: .clockwise90)
    let asked = JPEGSettings(
      size: FrameSize(width: 240, height: 320), quality: 60, transform: quarter, isLosslessPreferred: true)
    guard case .jpeg(let made) = source(of: .mjpeg).delivery(.jpeg(asked)) else {
      Issue.record("no JPEG")
      return
    }
    #expect(made.size == asked.size && made.quality == 60 && !made.isLosslessPreferred)
    #expect(made.transform.orientation == .clockwise90)
    #expect(abs(made.transform.crop.x - 0.125) < 1e-9 && abs(made.transform.crop.width - 0.375) < 1e-9)
  }

  @Test func rawFramesAreMadeWhereTheyAreATarget() throws {
    guard case .pixels(let made) = source(of: .nv12).delivery(.untouched) else {
      Issue.record("no pixels")
      return
    }
    #expect(made.target == .nv12 && made.size == Self.vga && made.decodesPart)
    #expect(source(of: .yuyv).delivery(.untouched) == nil)
    #expect(source(of: .yuyv).delivery(.raw(RawSettings(size: Self.vga, transform: .identity))) == nil)
    let grey = PixelSettings(target: .grey, size: Self.vga)
    #expect(source(of: .yuyv).delivery(.pixels(grey)) != nil)
  }
}
