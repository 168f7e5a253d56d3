import CaptureConvert
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// Bars in every format that can be read, converted and read again as the picture's description tells: the description is true.
struct ConvertedBarsTests {
  static let size = FrameSize(width: 320, height: 48)
  let converter = PixelConverter()
  let pool = PayloadPool()

  private func worst(_ frame: Frame, _ target: PixelTarget, size: FrameSize = size) throws -> Double {
    let picture = try converter.convert(frame, as: PixelSettings(target: target, size: size), into: pool)
    return ConvertedPicture(picture, target, size).worstBar()
  }

  @Test(
    arguments: JPEGEncoderTests.yuv + JPEGEncoderTests.rgb + JPEGEncoderTests.bayer, PixelTarget.allCases)
  func barsKeepTheirColors(code: String, target: PixelTarget) throws {
    for isFullRange in [false, true] where code != "GREY" || !target.isRGB {
      let bars = ColorBars(size: Self.size, isFullRange: isFullRange)
      let difference = try worst(bars.frame(code), target)
      if code == "GREY", target != .grey { continue }
      #expect(difference <= (code == "RGBP" ? 12 : 5), "\(difference)")
    }
  }

  @Test(arguments: FormatBars.all.filter { !FormatBars.grey.contains($0) }, PixelTarget.allCases)
  func whatIsConvertedFirstKeepsItsColors(code: String, target: PixelTarget) throws {
    let bars = FormatBars(bars: ColorBars(size: Self.size, isFullRange: true))
    let difference = try worst(bars.frame(code), target)
    #expect(difference <= Double(FormatBars.tolerance(code)), "\(difference)")
  }

  @Test(arguments: LibraryBars.chroma, PixelTarget.allCases)
  func whatTheLibraryConvertsKeepsItsColors(code: String, target: PixelTarget) throws {
    let frame = LibraryBars(bars: ColorBars(size: Self.size, matrix: .rec709)).frame(code)
    #expect(try worst(frame, target) <= 5)
  }

  @Test(arguments: ["YUYV", "NV12", "YU12"], PixelTarget.allCases)
  func constantLuminanceKeepsItsColors(code: String, target: PixelTarget) throws {
    let bars = ColorBars(size: Self.size, matrix: .rec2020ConstantLuminance)
    let picture = try converter.convert(
      bars.frame(code), as: PixelSettings(target: target, size: Self.size), into: pool)
    let converted = ConvertedPicture(picture, target, Self.size)
    if target.isRGB { #expect(converted.worstBar() <= 5) }
    #expect(converted.color.matrix == (target.isRGB ? .identity : .rec2020ConstantLuminance))
  }

  @Test(arguments: ["YUYV", "NV12", "NV24", "RGB3", "RX24", "RGGB", "RGBP"], PixelTarget.allCases)
  func scalesDown(code: String, target: PixelTarget) throws {
    let bars = ColorBars(size: FrameSize(width: 640, height: 96))
    for size in ["320x48", "160x24", "214x32"] {
      #expect(try worst(bars.frame(code), target, size: FrameSize(size)!) <= 12, "\(size)")
    }
  }

  @Test(arguments: [ChromaSubsampling.s422, .s420], PixelTarget.allCases)
  func camerasJPEGIsDecoded(subsampling: ChromaSubsampling, target: PixelTarget) throws {
    let bars = ColorBars(size: Self.size)
    let jpeg = try JPEGEncoder().encode(
      bars.frame("YUYV"), quality: 95, subsampling: subsampling, into: pool)
    let frame = jpegFrame(jpeg, Self.size)
    #expect(try worst(frame, target) <= 6)
    let picture = try converter.convert(frame, as: PixelSettings(target: target, size: Self.size), into: pool)
    #expect(picture.color?.isFullRange == true)
    #expect(picture.color?.matrix == (target.isRGB ? .identity : .rec601))
  }
}
