import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct JPEGEncoderTests {
  static let yuv = [
    "YUYV", "YVYU", "UYVY", "VYUY", "NV12", "NV21", "NV16", "NV61", "NV24", "NM12", "NM21", "YU12", "YV12",
    "YM12", "422P", "GREY",
  ]
  static let rgb = ["RGB3", "BGR3", "XR24", "AR24", "BX24", "XB24", "RX24", "RGBP"]
  static let bayer = ["RGGB", "GRBG", "GBRG", "BA81"]

  let encoder = JPEGEncoder()
  let pool = PayloadPool()

  @Test(arguments: yuv + rgb + bayer, [ChromaSubsampling.s422, .s420])
  func barsKeepTheirColors(code: String, subsampling: ChromaSubsampling) throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    let jpeg = try encoder.encode(bars.frame(code), quality: 90, subsampling: subsampling, into: pool)
    let picture = try DecodedPicture(jpeg)
    #expect(picture.size == bars.size)
    #expect(worstDifference(picture) <= (code == "RGBP" ? 12 : 5))
    #expect(lumaSampling(jpeg) == (code == "GREY" ? 0x11 : subsampling == .s422 ? 0x21 : 0x22))
  }

  @Test(arguments: yuv + rgb + bayer)
  func fullRangeIsTakenAsItIs(code: String) throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48), isFullRange: true)
    let picture = try DecodedPicture(encoder.encode(bars.frame(code), quality: 90, into: pool))
    #expect(worstDifference(picture) <= (code == "RGBP" ? 12 : 5))
  }

  @Test(arguments: yuv + rgb + bayer)
  func rowsMayBePadded(code: String) throws {
    let bars = ColorBars(size: FrameSize(width: 328, height: 36), rowPadding: 64)
    #expect(
      worstDifference(try DecodedPicture(encoder.encode(bars.frame(code), quality: 90, into: pool))) <= 12)
  }

  @Test(arguments: yuv + rgb + bayer, [ChromaSubsampling.s422, .s420])
  func oddSizesAreEncodedWhole(code: String, subsampling: ChromaSubsampling) throws {
    let bars = ColorBars(size: FrameSize(width: 323, height: 35), isFullRange: code == "YU12")
    let picture = try DecodedPicture(
      encoder.encode(bars.frame(code), quality: 90, subsampling: subsampling, into: pool))
    #expect(picture.size == bars.size)
    #expect(worstDifference(picture) <= 12)
  }

  @Test(arguments: yuv + rgb + bayer, [FrameSize(width: 160, height: 24), FrameSize(width: 213, height: 31)])
  func scalesDown(code: String, size: FrameSize) throws {
    let bars = ColorBars(size: FrameSize(width: 640, height: 96))
    let picture = try DecodedPicture(encoder.encode(bars.frame(code), size: size, quality: 90, into: pool))
    #expect(picture.size == size)
    #expect(worstDifference(picture) <= 12)
  }

  @Test func subsamplingFollowsTheFrame() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    #expect(lumaSampling(try encoder.encode(bars.frame("YUYV"), into: pool)) == 0x21)
    #expect(lumaSampling(try encoder.encode(bars.frame("NV12"), into: pool)) == 0x22)
    #expect(lumaSampling(try encoder.encode(bars.frame("RGB3"), into: pool)) == 0x21)
  }

  @Test func lowerQualityIsSmaller() throws {
    let frame = ColorBars(size: FrameSize(width: 320, height: 240)).frame("YUYV")
    let fine = try encoder.encode(frame, quality: 95, into: pool)
    let coarse = try encoder.encode(frame, quality: 20, into: pool)
    #expect(coarse.count < fine.count)
  }

  @Test func camerasJPEGIsEncodedAnew() throws {
    let bars = ColorBars(size: FrameSize(width: 640, height: 96))
    let original = try encoder.encode(bars.frame("YUYV"), quality: 95, into: pool)
    let size = FrameSize(width: 320, height: 48)
    let again = try encoder.encode(jpegFrame(original, bars.size), size: size, quality: 90, into: pool)
    let picture = try DecodedPicture(again)
    #expect(picture.size == size)
    #expect(worstDifference(picture) <= 12)
  }

  @Test func damagedJPEGIsRefusedAndTheNextOneEncoded() throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48))
    let good = try encoder.encode(bars.frame("YUYV"), into: pool)
    var bytes = good.bytes
    for index in bytes.count / 2..<bytes.count - 40 { bytes[index] = 0xFF }
    let bad = jpegFrame(Payload(copying: bytes), bars.size)
    let error = #expect(throws: CaptureError.self) { try encoder.encode(bad, into: pool) }
    #expect(error?.code == .dataLoss)
    #expect(try DecodedPicture(encoder.encode(jpegFrame(good, bars.size), into: pool)).size == bars.size)
  }

  @Test func shortFrameIsRefused() throws {
    let whole = ColorBars(size: FrameSize(width: 320, height: 48))
    for code in Self.yuv + Self.rgb + Self.bayer where !code.contains("M") {
      let frame = whole.frame(code)
      let short = Frame(
        payload: Payload(copying: frame.payload.bytes.dropLast()), format: frame.format, sequence: 0,
        timestamp: frame.timestamp)
      let error = #expect(throws: CaptureError.self) { try encoder.encode(short, into: pool) }
      #expect(error?.code == .dataLoss, "\(code)")
    }
  }

  @Test(arguments: [
    (FrameSize(width: 640, height: 48), 80), (FrameSize(width: 0, height: 48), 80),
    (FrameSize(width: 320, height: 48), 0), (FrameSize(width: 320, height: 48), 101),
  ])
  func impossibleRequestsAreRefused(size: FrameSize, quality: Int) {
    let frame = ColorBars(size: FrameSize(width: 320, height: 48)).frame("YUYV")
    let error = #expect(throws: CaptureError.self) {
      try encoder.encode(frame, size: size, quality: quality, into: pool)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func knowsWhatItCannotEncode() throws {
    #expect(JPEGEncoder.canEncode(.yuyv) && JPEGEncoder.canEncode(.rggb8) && JPEGEncoder.canEncode(.mjpeg))
    #expect(!JPEGEncoder.canEncode(PixelFormat("H264")!))
    #expect(
      Set(JPEGEncoder.pixelFormats).isSuperset(
        of: (Self.yuv + Self.rgb + Self.bayer).map { PixelFormat($0)! }))
  }

  @Test func memoryReturnsToThePool() throws {
    let frame = ColorBars(size: FrameSize(width: 320, height: 48)).frame("YUYV")
    let first = try encoder.encode(frame, into: pool).segments[0].baseAddress
    let second = try encoder.encode(frame, into: pool).segments[0].baseAddress
    #expect(first == second)
  }
}

/// A JPEG as a camera's frame.
func jpegFrame(_ payload: Payload, _ size: FrameSize) -> Frame {
  Frame(
    payload: payload, format: StreamFormat(pixelFormat: .mjpeg, size: size, interval: nil, planes: []),
    sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
}
