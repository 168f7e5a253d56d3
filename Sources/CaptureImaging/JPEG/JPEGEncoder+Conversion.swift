import CaptureConvert
public import CaptureModel

extension JPEGEncoder {
  /// Who makes JPEGs of frames of that format; `nil`: nobody.
  public static func conversion(of format: PixelFormat) -> JPEGConversion? {
    switch PixelLayout(format) {
    case .jpeg: .asItIs
    case .bayer: .node
    case .packed422, .semiplanar, .planar, .grey, .rgb, .rgb16: .libyuv
    case nil: FrameConverter.conversion(of: format)
    }
  }
}
