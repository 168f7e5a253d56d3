import CTurboJPEG
import CaptureModel
import CaptureSystem

extension PixelTarget {
  /// The bytes of a pixel of red, green and blue.
  var bytesPerPixel: Int { self == .bgra ? 4 : 3 }
  /// The order of the colours in a pixel.
  var order: TJPF { self == .bgra ? TJPF_BGRX : TJPF_RGB }

  /// The bytes of the first plane's rows, and of the whole picture.
  func layout(_ size: FrameSize) -> PlaneLayout {
    switch self {
    case .bgra, .rgb24:
      PlaneLayout(stride: size.width * bytesPerPixel, bytes: size.area * bytesPerPixel)
    case .nv12, .i420: PlaneLayout(stride: size.width, bytes: size.area * 3 / 2)
    case .grey: PlaneLayout(stride: size.width, bytes: size.area)
    }
  }
}

extension PixelLayout {
  /// What the samples mean in a picture that is converted from frames with this layout.
  func color(of source: ColorDescription, as target: PixelTarget) -> ColorDescription {
    if target.isRGB {
      return ColorDescription(
        space: source.space, transfer: source.transfer, matrix: .identity, isFullRange: true)
    }
    switch self {
    case .packed422, .semiplanar, .planar, .grey: return source
    case .jpeg, .rgb, .rgb16, .bayer: return source.inJPEG
    }
  }
}

extension PayloadPool {
  /// A picture in that format, which `fill` writes.
  func picture(
    _ target: PixelTarget, _ size: FrameSize, _ fill: (UnsafeMutablePointer<UInt8>) -> Void
  ) -> RawPicture {
    picture([target.layout(size)], fill)
  }
}
