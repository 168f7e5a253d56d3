import CaptureConvert
public import CaptureModel

extension JPEGEncoder {
  /// Which part of the software makes JPEGs of frames in that format; `nil`: none.
  public static func conversion(of format: PixelFormat) -> JPEGConversion? {
    switch PixelLayout(format) {
    case .jpeg: .asItIs
    case .bayer: .node
    case .packed422, .semiplanar, .planar, .grey, .rgb, .rgb16: .libyuv
    case nil: FrameConverter.conversion(of: format)
    }
  }
}
