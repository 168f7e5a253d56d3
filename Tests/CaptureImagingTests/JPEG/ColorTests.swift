import CPixelKernels
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// JFIF is BT.601, full range: frames of another matrix or range become that.
struct ColorTests {
  static let matrices: [ColorMatrix] = [.rec601, .rec709, .rec2020, .rec2020ConstantLuminance, .smpte240M]
  static let size = FrameSize(width: 320, height: 48)
  /// A JPEG's own error, with that of samples in 8 bits.
  static let tolerance = 6

  let encoder = JPEGEncoder()
  let pool = PayloadPool()

  @Test(arguments: matrices, [false, true])
  func everyFamilyKeepsItsColors(matrix: ColorMatrix, isFullRange: Bool) throws {
    for code in JPEGEncoderTests.yuv + JPEGEncoderTests.rgb + JPEGEncoderTests.bayer {
      let bars = ColorBars(size: Self.size, isFullRange: isFullRange, matrix: matrix)
      let picture = try DecodedPicture(encoder.encode(bars.frame(code), quality: 92, into: pool))
      if code == "GREY" {
        for bar in 0..<8 {
          let found = picture.color(x: (2 * bar + 1) * 20, y: 20)[0]
          #expect(abs(Double(found) - bars.luma(bar: bar)) <= 3, "bar \(bar)")
        }
      } else {
        #expect(worstDifference(picture) <= (code == "RGBP" ? 12 : Self.tolerance), "\(code)")
      }
    }
  }

  @Test(arguments: matrices, [false, true])
  func turnedAndScaledTheyKeepThem(matrix: ColorMatrix, isFullRange: Bool) throws {
    let bars = ColorBars(size: FrameSize(width: 643, height: 97), isFullRange: isFullRange, matrix: matrix)
    let turned = try PictureTransform(cropFactor: 1, orientation: .upsideDown, isMirrored: true)
    for code in ["YUYV", "VYUY", "NV12", "YU12", "NV24", "422P", "XR24", "RGGB"] {
      let frame = bars.frame(code)
      let half = try encoder.encode(frame, size: FrameSize(width: 320, height: 48), quality: 92, into: pool)
      #expect(worstDifference(try DecodedPicture(half)) <= 12, "\(code) at half the size")
      // Mirrored top to bottom: bars look the same.
      let mirrored = try encoder.encode(frame, quality: 92, transform: turned, into: pool)
      #expect(worstDifference(try DecodedPicture(mirrored)) <= 12, "\(code) upside down")
    }
  }

  @Test(arguments: matrices, [false, true])
  func metersGoByThem(matrix: ColorMatrix, isFullRange: Bool) throws {
    let meter = FrameMeter(grid: ZoneGrid(columns: 8, rows: 4))
    for code in ["YUYV", "NV12", "YU12", "GREY", "RGB3", "BX24"] {
      let bars = ColorBars(size: Self.size, isFullRange: isFullRange, matrix: matrix)
      let statistics = try meter.measure(bars.frame(code))
      for bar in 0..<8 {
        let isRGB = ["RGB3", "BX24"].contains(code)
        let rgb = ColorBars.colors[bar]
        let luma = isRGB ? 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] : bars.luma(bar: bar)
        #expect(abs(statistics[bar, 2].luma - luma / 255) < 0.01, "\(code), bar \(bar)")
      }
    }
  }

  @Test(arguments: [ColorMatrix.rec709, .rec2020, .smpte240M], [false, true])
  func theKernelIsNoMoreThanOneOff(matrix: ColorMatrix, isFullRange: Bool) throws {
    var fixed = try #require(ycbcr_matrix(matrix, isFullRange: isFullRange))
    let samples = Array(stride(from: UInt8(0), through: 250, by: 10)) + [255]
    // Some more than a whole number of vectors, and pieces.
    for (shift, width) in [(0, samples.count), (1, samples.count), (1, 4099)] {
      for v in samples {
        let luma = (0..<width).map { samples[$0 % samples.count] }
        let chroma = (0..<(width + shift) >> shift).map { samples[$0 * 7 % samples.count] }
        let other = [UInt8](repeating: v, count: chroma.count)
        var (y, cb, cr) = ([UInt8](repeating: 0, count: width), chroma, chroma)
        pixels_convert_ycbcr(luma, chroma, other, width, UInt32(shift), &fixed, &y, &cb, &cr)
        for x in 0..<width {
          let wanted = reference(luma[x], chroma[x >> shift], v, matrix, isFullRange)
          #expect(abs(Double(y[x]) - wanted.y) <= 1)
          #expect(abs(Double(cb[x >> shift]) - wanted.u) <= 1)
          #expect(abs(Double(cr[x >> shift]) - wanted.v) <= 1)
        }
      }
    }
  }

  /// By way of red, green and blue, which are not cut off here: colours beyond them are the encoder's matter.
  private func reference(_ y: UInt8, _ u: UInt8, _ v: UInt8, _ matrix: ColorMatrix, _ isFullRange: Bool)
    -> (y: Double, u: Double, v: Double)
  {
    let (kr, kb) =
      matrix == .rec709 ? (0.2126, 0.0722) : matrix == .rec2020 ? (0.2627, 0.0593) : (0.212, 0.087)
    let luma = isFullRange ? Double(y) : (Double(y) - 16) * 255 / 219
    let scale = isFullRange ? 1 : 255.0 / 224
    let (cb, cr) = ((Double(u) - 128) * scale, (Double(v) - 128) * scale)
    let (red, blue) = (luma + (2 - 2 * kr) * cr, luma + (2 - 2 * kb) * cb)
    let green = (luma - kr * red - kb * blue) / (1 - kr - kb)
    let jfif = 0.299 * red + 0.587 * green + 0.114 * blue
    func sample(_ value: Double) -> Double { min(max(value, 0), 255) }
    return (sample(jfif), sample((blue - jfif) / 1.772 + 128), sample((red - jfif) / 1.402 + 128))
  }
}
