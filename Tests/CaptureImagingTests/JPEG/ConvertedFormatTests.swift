import CaptureControls
import CaptureConvert
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// Formats that neither libjpeg-turbo nor libyuv reads, as JPEGs.
struct ConvertedFormatTests {
  let encoder = JPEGEncoder()
  let pool = PayloadPool()

  /// RGB and HSV come with the full range, as drivers tell it; what is Y'CbCr or grey has both.
  private func bars(_ size: FrameSize, isFullRange: Bool = true) -> FormatBars {
    FormatBars(bars: ColorBars(size: size, isFullRange: isFullRange))
  }

  @Test(arguments: FormatBars.all) func barsKeepTheirColors(code: String) throws {
    let bars = bars(FrameSize(width: 320, height: 48))
    let jpeg = try encoder.encode(bars.frame(code), quality: 92, into: pool)
    let picture = try DecodedPicture(jpeg)
    #expect(picture.size == bars.bars.size)
    #expect(picture.components == (FormatBars.grey.contains(code) ? 1 : 3))
    let worst = worstDifference(picture)
    #expect(worst <= FormatBars.tolerance(code), "\(code): \(worst)")
  }

  /// Hue and saturation know of none.
  @Test(arguments: FormatBars.all.filter { !$0.hasPrefix("HSV") })
  func theLimitedRangeIsWidened(code: String) throws {
    let bars = bars(FrameSize(width: 320, height: 48), isFullRange: false)
    let worst = worstDifference(try DecodedPicture(encoder.encode(bars.frame(code), quality: 92, into: pool)))
    #expect(worst <= tolerance(code, isFullRange: false), "\(code): \(worst)")
  }

  /// The limited range of RGB has fewer steps.
  private func tolerance(_ code: String, isFullRange: Bool) -> Int {
    FormatBars.tolerance(code) * (FormatBars.rgb.contains(code) && !isFullRange ? 298 : 255) / 255
  }

  /// In one format of each layout; what is told of RGB's matrix changes nothing.
  @Test(arguments: ColorTests.matrices, [false, true])
  func everyMatrixAndRangeIsUnderstood(matrix: ColorMatrix, isFullRange: Bool) throws {
    let size = FrameSize(width: 320, height: 48)
    let bars = FormatBars(bars: ColorBars(size: size, isFullRange: isFullRange, matrix: matrix))
    for code in ["Y444", "YUVP", "YUV3", "VUYX", "P010", "RGBR", "RG12", "pRAA", "Y10", "Y16-BE", "Y14P"] {
      let picture = try DecodedPicture(encoder.encode(bars.frame(code), quality: 92, into: pool))
      if FormatBars.grey.contains(code) {
        for bar in 0..<8 {
          let found = Double(picture.color(x: (2 * bar + 1) * 20, y: 20)[0])
          #expect(abs(found - bars.bars.luma(bar: bar)) <= 3, "\(code), bar \(bar)")
        }
      } else {
        let worst = worstDifference(picture)
        #expect(worst <= tolerance(code, isFullRange: isFullRange), "\(code): \(worst)")
      }
    }
  }

  /// In formats that libv4lconvert makes planes of, the colours are still as the driver tells them.
  @Test(arguments: ColorTests.matrices, [false, true])
  func whatTheLibraryConvertsKeepsItsMatrixAndRange(matrix: ColorMatrix, isFullRange: Bool) throws {
    let bars = ColorBars(
      size: FrameSize(width: 320, height: 48), isFullRange: isFullRange, matrix: matrix)
    for code in LibraryBars.chroma {
      let frame = LibraryBars(bars: bars).frame(code)
      #expect(FrameConverter.conversion(of: frame.format.pixelFormat) == .libv4lconvert)
      let worst = worstDifference(try DecodedPicture(encoder.encode(frame, quality: 92, into: pool)))
      #expect(worst <= ColorTests.tolerance, "\(code): \(worst)")
    }
  }

  /// What fewer bits than eight leave out makes bars darker, which the limited range widens.
  @Test(arguments: [("Y04", 15), ("Y06", 3)], [false, true])
  func whatTheLibraryKnowsAsGreyKeepsItsBrightness(format: (code: String, lost: Double), isFullRange: Bool)
    throws
  {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48), isFullRange: isFullRange)
    let frame = LibraryBars(bars: bars).frame(format.code)
    #expect(FrameConverter.conversion(of: frame.format.pixelFormat) == .libv4lconvert)
    let picture = try DecodedPicture(encoder.encode(frame, quality: 92, into: pool))
    #expect(picture.components == 1)
    for bar in 0..<8 {
      let missing = bars.luma(bar: bar) - Double(picture.color(x: (2 * bar + 1) * 20, y: 20)[0])
      let most = format.lost * (isFullRange ? 1 : 255 / 219)
      #expect((-3...most + 3).contains(missing), "\(format.code), bar \(bar): \(missing)")
    }
  }

  @Test(arguments: LibraryBars.bayer) func theLibrarysColourFilterKeepsItsColors(code: String) throws {
    let bars = ColorBars(size: FrameSize(width: 320, height: 48), isFullRange: true)
    let frame = LibraryBars(bars: bars).frame(code)
    #expect(FrameConverter.conversion(of: frame.format.pixelFormat) == .libv4lconvert)
    let worst = worstDifference(try DecodedPicture(encoder.encode(frame, quality: 92, into: pool)))
    #expect(worst <= ColorTests.tolerance, "\(worst)")
  }

  @Test(arguments: ["HSV3", "HSV4"]) func aTurnOfHueMayHave256Steps(code: String) throws {
    var bars = bars(FrameSize(width: 320, height: 48))
    bars.hueSteps = 256
    let worst = worstDifference(try DecodedPicture(encoder.encode(bars.frame(code), quality: 92, into: pool)))
    #expect(worst <= 8, "\(worst)")
  }

  @Test(arguments: FormatBars.all) func rowsMayBePaddedAndSidesOdd(code: String) throws {
    var bars = bars(FrameSize(width: 323, height: 35))
    bars.padding = 24
    let picture = try DecodedPicture(encoder.encode(bars.frame(code), quality: 92, into: pool))
    #expect(picture.size == bars.bars.size)
    let worst = worstDifference(picture)
    #expect(worst <= FormatBars.tolerance(code) + 6, "\(code): \(worst)")
  }

  @Test(arguments: FormatBars.all) func shortFramesAreRefused(code: String) throws {
    let frame = bars(FrameSize(width: 320, height: 48)).frame(code)
    let short = Frame(
      payload: Payload(copying: frame.payload.bytes.dropLast()), format: frame.format, sequence: 0,
      timestamp: frame.timestamp)
    let error = #expect(throws: CaptureError.self) { try encoder.encode(short, into: pool) }
    #expect(error?.code == .dataLoss)
  }

  @Test func everyFormatThatIsConvertedHasItsBars() {
    let ours = FrameConverter.pixelFormats.filter { FrameConverter.conversion(of: $0) == .node }
    #expect(Set(ours) == Set(FormatBars.all.map { PixelFormat($0)! }))
  }

  @Test func whoMakesTheJPEGIsTold() {
    let makers: [(String, JPEGConversion?)] = [
      ("MJPG", .asItIs), ("YUYV", .libyuv), ("RGB3", .libyuv), ("BA81", .node), ("Y16", .node),
      ("P010", .node), ("HM12", .libv4lconvert), ("S561", .libv4lconvert), ("H264", nil), ("Z16", nil),
      ("O511", nil),
      ("JPGL", nil),
    ]
    for (code, maker) in makers {
      #expect(JPEGEncoder.conversion(of: PixelFormat(code)!) == maker, "\(code)")
    }
  }

  /// The format that costs least is chosen first: what has to be converted comes last.
  @Test func aFormatThatIsReadAsItIsComesBeforeOneThatIsConverted() throws {
    let size = SizeOption(
      discrete: FrameSize(width: 640, height: 480), intervals: .discrete([FrameInterval(rate: 30)!]))
    for plain in JPEGEncoder.pixelFormats where FrameConverter.conversion(of: plain) == nil && !plain.isJPEG {
      for converted in FrameConverter.pixelFormats {
        let formats = [converted, plain].map {
          FormatDescription(pixelFormat: $0, description: "", sizes: [size])
        }
        let choice = FormatChoice(camera: "cam", formats: formats, isEncodable: JPEGEncoder.canEncode)
        let chosen = try choice.choose(VideoRequest(quality: 80))
        #expect(chosen.pixelFormat == plain, "\(converted)")
        if chosen.pixelFormat != plain { return }
      }
    }
  }
}
