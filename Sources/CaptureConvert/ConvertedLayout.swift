import CPixelKernels
import CaptureModel

/// How a pixel format is converted to one that libjpeg-turbo and libyuv read.
enum ConvertedLayout {
  /// Pixels of 1 to 4 bytes whose bits are three components. They become `RGB3`, or `YM24` for Y'CbCr.
  case words(PixelWord)
  /// Samples of more than 8 bits, of luma or behind a colour filter. They are narrowed to 8 bits each, which gives the format that is stated.
  case deep(DeepSample, PixelFormat)
  /// A plane of luma, then a plane of chroma in pairs, at half the width and height. A sample is the upper bits of a 16-bit word. They become `NV12`.
  case deepSemiplanar420
  /// Hue, saturation and value in the last three of a pixel's `bytes` bytes. They become `RGB3`.
  case hsv(bytes: Int)
  /// libv4lconvert converts it.
  case library(LibraryFormat)

  /// The format that it is converted to.
  var plain: PixelFormat {
    switch self {
    case .words(let word): word.isYCbCr ? Self.yuv444 : .rgb3
    case .deep(_, let format): format
    case .deepSemiplanar420: .nv12
    case .hsv: .rgb3
    case .library(let format): format.plain
    }
  }

  /// Three planes of the same size.
  static let yuv444 = PixelFormat("YM24")!
}

/// The layout of a pixel's word.
struct PixelWord {
  var bytes: Int
  var isBigEndian: Bool
  /// Y, Cb and Cr, or red, green and blue.
  var fields: [pixel_field]
  var isYCbCr: Bool

  /// `places`: the lowest bit and the number of bits of each component.
  static func rgb(_ bytes: Int, _ places: [(Int, Int)], bigEndian: Bool = false) -> ConvertedLayout {
    .words(PixelWord(bytes, places, bigEndian, isYCbCr: false))
  }

  static func ycbcr(_ bytes: Int, _ places: [(Int, Int)]) -> ConvertedLayout {
    .words(PixelWord(bytes, places, false, isYCbCr: true))
  }

  private init(_ bytes: Int, _ places: [(Int, Int)], _ isBigEndian: Bool, isYCbCr: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
    self.isYCbCr = isYCbCr
    fields = places.map { shift, bits in
      let most: UInt32 = 1 << UInt32(bits) - 1
      // Red, green and blue are scaled so that their largest value becomes 255. Y'CbCr is shifted: the middle of chroma stays the middle, and grey
      // has no colour.
      let scale = isYCbCr ? 1 << UInt32(24 - bits) : ((255 << 16) + most / 2) / most
      return pixel_field(shift: UInt32(shift), mask: most, scale: scale)
    }
  }
}

/// How a sample of more than 8 bits is stored.
enum DeepSample {
  /// The sample is in the lower bits of 16.
  case word(bits: Int, bigEndian: Bool)
  /// MIPI's packing: the upper 8 bits of each of `samples` samples, then the remaining bits of all of them, together in `bytes` bytes.
  case packed(samples: Int, bytes: Int)

  /// The bytes of a row of `width` samples.
  func rowBytes(_ width: Int) -> Int {
    switch self {
    case .word: width * 2
    case .packed(let samples, let bytes): (width + samples - 1) / samples * bytes
    }
  }
}
