import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct RefusedConversionTests {
  let converter = PixelConverter()
  let pool = PayloadPool()

  private func refusal(_ frame: Frame, _ target: PixelTarget, _ size: FrameSize) -> CaptureError? {
    do throws(CaptureError) {
      _ = try converter.convert(frame, as: PixelSettings(target: target, size: size), into: pool)
      return nil
    } catch {
      return error
    }
  }

  @Test func oddSizesAreRefusedNamingTheNearestEvenOnes() {
    let frame = ColorBars(size: FrameSize(width: 323, height: 35)).frame("YUYV")
    for (size, sizes) in [("323x35", "ask for 322x34"), ("321x34", "ask for 320x34 or 322x34")] {
      for target in [PixelTarget.nv12, .i420] {
        let error = refusal(frame, target, FrameSize(size)!)
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasSuffix(sizes) == true, "\(error?.message ?? "")")
      }
      for target in [PixelTarget.bgra, .rgb24, .grey] {
        #expect(refusal(frame, target, FrameSize(size)!) == nil)
      }
    }
  }

  @Test(arguments: ["2x2", "16x16"], PixelTarget.allCases)
  func tinyPicturesAreConverted(size: String, target: PixelTarget) {
    let size = FrameSize(size)!
    for code in JPEGEncoderTests.yuv + JPEGEncoderTests.rgb + JPEGEncoderTests.bayer {
      #expect(refusal(ColorBars(size: size).frame(code), target, size) == nil, "\(code)")
    }
  }

  @Test func moreThanThereIsIsRefused() {
    let frame = ColorBars(size: FrameSize(width: 64, height: 48)).frame("YUYV")
    for target in PixelTarget.allCases {
      let error = refusal(frame, target, FrameSize(width: 66, height: 48))
      #expect(error?.code == .invalidArgument && error?.message.contains("at most 64x48") == true)
    }
  }

  @Test(arguments: PixelTarget.allCases)
  func shortFramesAreRefused(target: PixelTarget) {
    let size = FrameSize(width: 64, height: 48)
    let frames =
      (JPEGEncoderTests.yuv + JPEGEncoderTests.rgb + JPEGEncoderTests.bayer).filter { !$0.contains("M") }
      .map { ColorBars(size: size).frame($0) }
      + FormatBars.all.map { FormatBars(bars: ColorBars(size: size)).frame($0) }
    for frame in frames {
      let short = Frame(
        payload: Payload(copying: frame.payload.bytes.dropLast()), format: frame.format, sequence: 0,
        timestamp: frame.timestamp)
      #expect(refusal(short, target, size)?.code == .dataLoss, "\(frame.format.pixelFormat)")
      #expect(refusal(frame, target, size) == nil, "\(frame.format.pixelFormat)")
    }
  }

  @Test(arguments: PixelTarget.allCases)
  func damagedJPEGIsRefusedAndTheNextOneConverted(target: PixelTarget) throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    let good = try JPEGEncoder().encode(bars.frame("YUYV"), into: pool)
    var bytes = good.bytes
    for index in bytes.count / 2..<bytes.count - 40 { bytes[index] = 0xFF }
    #expect(refusal(jpegFrame(Payload(copying: bytes), bars.size), target, bars.size)?.code == .dataLoss)
    #expect(refusal(jpegFrame(good, bars.size), target, bars.size) == nil)
  }

  @Test func whatNobodyReadsIsNotConverted() {
    let frame = Frame(
      payload: Payload(copying: [0]),
      format: StreamFormat(
        pixelFormat: PixelFormat("H264")!, size: FrameSize(width: 2, height: 2), interval: nil, planes: []),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    #expect(refusal(frame, .bgra, frame.format.size)?.code == .unimplemented)
    #expect(!PixelConverter.canConvert(frame.format.pixelFormat) && PixelConverter.canConvert(.yuyv))
  }

  @Test func memoryReturnsToThePool() throws {
    let frame = ColorBars(size: FrameSize(width: 320, height: 48)).frame("YUYV")
    let settings = PixelSettings(target: .bgra, size: frame.format.size)
    let first = try converter.convert(frame, as: settings, into: pool).payload.segments[0].baseAddress
    let second = try converter.convert(frame, as: settings, into: pool).payload.segments[0].baseAddress
    #expect(first == second)
  }
}
