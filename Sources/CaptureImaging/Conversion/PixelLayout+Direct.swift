import CYUV
import CaptureModel
import CaptureSystem

extension PixelLayout {
  /// Converts the frame, neither turned nor scaled, with one call of libyuv; `nil`: no such call is right for the frame.
  func convertDirectly(
    _ frame: Frame, _ target: PixelTarget, into pool: PayloadPool
  ) throws(CaptureError) -> RawPicture? {
    switch self {
    case .packed422(let lumaFirst, let uFirst):
      let bytes = try FrameBytes(frame)
      let source = try bytes.first(rowBytes: (bytes.size.width + 1) / 2 * 4)
      return Self.packed(frame, source, lumaFirst, uFirst, target, pool)
    case .semiplanar(.s420, let uFirst):
      let (luma, pairs) = try FrameBytes(frame).semiplanar(.s420)
      return Self.semiplanar(frame, luma, pairs, uFirst, target, pool)
    default: return nil
    }
  }

  private static func packed(
    _ frame: Frame, _ source: Plane, _ lumaFirst: Bool, _ uFirst: Bool, _ target: PixelTarget,
    _ pool: PayloadPool
  ) -> RawPicture? {
    let size = frame.format.size
    let (from, stride) = (source.base, Int32(source.stride))
    let (width, height) = (Int32(size.width), Int32(size.height))
    switch target {
    case .bgra where uFirst && frame.isRec601 && !frame.format.isFullRange:
      let convert = lumaFirst ? YUY2ToARGB : UYVYToARGB
      return pool.picture(target, size) { _ = convert(from, stride, $0, width * 4, width, height) }
    // libyuv 1857 takes chroma from the wrong places where the width is 18 to 30 columns more than a multiple of 32 (YUY2ToNV12).
    case .nv12 where uFirst && size.width % 32 == 0:
      let convert = lumaFirst ? YUY2ToNV12 : UYVYToNV12
      return pool.picture(target, size) {
        _ = convert(from, stride, $0, width, $0 + size.area, width, width, height)
      }
    case .i420:
      let convert = lumaFirst ? YUY2ToI420 : UYVYToI420
      return pool.picture(target, size) { base in
        let (u, v) = base.chroma(size, uFirst)
        _ = convert(from, stride, base, width, u, width / 2, v, width / 2, width, height)
      }
    case .grey:
      let convert = lumaFirst ? YUY2ToY : UYVYToY
      return pool.picture(target, size) { _ = convert(from, stride, $0, width, width, height) }
    case .bgra, .rgb24, .nv12: return nil
    }
  }

  private static func semiplanar(
    _ frame: Frame, _ luma: Plane, _ pairs: Plane, _ uFirst: Bool, _ target: PixelTarget, _ pool: PayloadPool
  ) -> RawPicture? {
    let (size, isFullRange) = (frame.format.size, frame.format.isFullRange)
    let (strides, width, height) = (
      (Int32(luma.stride), Int32(pairs.stride)), Int32(size.width), Int32(size.height)
    )
    switch target {
    case .bgra where frame.isRec601:
      let convert = uFirst ? NV12ToARGBMatrix : NV21ToARGBMatrix
      return pool.picture(target, size) {
        _ = convert(
          luma.base, strides.0, pairs.base, strides.1, $0, width * 4, yuv_rec601(isFullRange, false), width,
          height)
      }
    case .rgb24 where frame.isRec601:
      // What libyuv calls RGB24 is B G R.
      let convert = uFirst ? NV21ToRGB24Matrix : NV12ToRGB24Matrix
      return pool.picture(target, size) {
        _ = convert(
          luma.base, strides.0, pairs.base, strides.1, $0, width * 3, yuv_rec601(isFullRange, true), width,
          height)
      }
    case .i420:
      return pool.picture(target, size) { base in
        let (u, v) = base.chroma(size, uFirst)
        _ = NV12ToI420(
          luma.base, strides.0, pairs.base, strides.1, base, width, u, width / 2, v, width / 2, width, height)
      }
    case .bgra, .rgb24, .nv12, .grey: return nil
    }
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// The two chroma planes behind the luma of a 4:2:0 picture. The first one is for the component that comes first in the frame.
  fileprivate func chroma(_ size: FrameSize, _ uFirst: Bool) -> (Self, Self) {
    let (u, v) = (self + size.area, self + size.area * 5 / 4)
    return uFirst ? (u, v) : (v, u)
  }
}

extension Frame {
  /// Whether BT.601's matrix, the only one of libyuv that is used, is right for the frame.
  fileprivate var isRec601: Bool { format.matrix == .rec601 || format.matrix == .identity }
}
