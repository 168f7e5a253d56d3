import CPixelKernels
import CTurboJPEG
import CYUV
import CaptureModel
import CaptureSystem

/// A picture whose pixels each have red, green and blue side by side.
struct RGBPicture {
  var base: UnsafePointer<UInt8>
  var stride: Int
  var size: FrameSize
  var order: TJPF
  /// 3 or 4 bytes.
  var bytesPerPixel: Int
}

extension RGBPicture {
  /// The pixels of a frame, where they are.
  init(_ bytes: FrameBytes, _ order: TJPF, bytesPerPixel count: Int) throws(CaptureError) {
    let source = try bytes.first(rowBytes: bytes.size.width * count)
    self.init(base: source.base, stride: source.stride, size: bytes.size, order: order, bytesPerPixel: count)
  }
}

extension TJPF {
  /// Where the colours lie in a pixel.
  var places: (red: Int, green: Int, blue: Int) {
    switch self {
    case TJPF_RGB, TJPF_RGBX: (0, 1, 2)
    case TJPF_BGR, TJPF_BGRX: (2, 1, 0)
    case TJPF_XRGB: (1, 2, 3)
    case TJPF_XBGR: (3, 2, 1)
    default: preconditionFailure("no camera's order of colours")
    }
  }
}

/// Converts RGB and Bayer frames to pixels that libjpeg-turbo reads, without a copy where they are such pixels already.
final class RGBConverter {
  private let pixels = Scratch()
  private let scaled = Scratch()
  private let wide = Scratch()

  func rgb16(_ bytes: FrameBytes, _ kind: PackedRGB16) throws(CaptureError) -> RGBPicture {
    let size = bytes.size
    let source = try bytes.first(rowBytes: size.width * 2)
    let target = pixels.plane(width: size.width * 4, height: size.height)
    let convert =
      switch kind {
      case .rgb565: RGB565ToARGB
      case .argb1555: ARGB1555ToARGB
      case .argb4444: ARGB4444ToARGB
      }
    _ = convert(
      source.base, Int32(source.stride), target.base, Int32(target.stride), Int32(size.width),
      Int32(size.height))
    return RGBPicture(
      base: target.base, stride: target.stride, size: size, order: TJPF_BGRX, bytesPerPixel: 4)
  }

  func bayer(_ bytes: FrameBytes, redX: Int, redY: Int) throws(CaptureError) -> RGBPicture {
    let size = bytes.size
    guard size.width >= 2, size.height >= 2 else {
      throw CaptureError(.invalidArgument, "a Bayer picture of \(size) has no colours")
    }
    let source = try bytes.first(rowBytes: size.width)
    let target = pixels.plane(width: size.width * 4, height: size.height)
    for y in 0..<size.height {
      let above = y == 0 ? 1 : y - 1
      let below = y == size.height - 1 ? y - 1 : y + 1
      let isRed = y & 1 == redY
      pixels_demosaic_row(
        source.base + above * source.stride, source.base + y * source.stride,
        source.base + below * source.stride, size.width, isRed, isRed == (redX == 1),
        target.base + y * target.stride)
    }
    return RGBPicture(
      base: target.base, stride: target.stride, size: size, order: TJPF_RGBX, bytesPerPixel: 4)
  }

  /// Widens the picture's limited range, 16…235, to 0…255.
  func widened(_ picture: RGBPicture) -> RGBPicture {
    let rowBytes = picture.size.width * picture.bytesPerPixel
    let target = wide.plane(width: rowBytes, height: picture.size.height)
    for y in 0..<picture.size.height {
      pixels_widen_luma(picture.base + y * picture.stride, target.base + y * target.stride, rowBytes)
    }
    var result = picture
    (result.base, result.stride) = (UnsafePointer(target.base), target.stride)
    return result
  }

  /// Scales the picture. Bytes keep their places in a pixel, whatever they mean.
  func scale(_ picture: RGBPicture, to size: FrameSize) -> RGBPicture {
    if picture.size == size { return picture }
    var source = picture
    if source.bytesPerPixel == 3 {
      let wide = pixels.plane(width: source.size.width * 4, height: source.size.height)
      RGB24ToARGB(
        source.base, Int32(source.stride), wide.base, Int32(wide.stride), Int32(source.size.width),
        Int32(source.size.height))
      source = RGBPicture(
        base: wide.base, stride: wide.stride, size: source.size,
        order: source.order == TJPF_RGB ? TJPF_RGBX : TJPF_BGRX, bytesPerPixel: 4)
    }
    let target = scaled.plane(width: size.width * 4, height: size.height)
    ARGBScale(
      source.base, Int32(source.stride), Int32(source.size.width), Int32(source.size.height),
      target.base, Int32(target.stride), Int32(size.width), Int32(size.height), kFilterBox)
    (source.base, source.stride, source.size) = (UnsafePointer(target.base), target.stride, size)
    return source
  }
}
