import CYUV
import CaptureModel

/// Raw formats in which a ``Bitmap`` can be written: in one buffer, with even sizes.
package enum RawLayout: Sendable {
  case yuyv, nv12, rggb8

  package init?(_ format: PixelFormat) {
    switch format {
    case .yuyv: self = .yuyv
    case .nv12: self = .nv12
    case .rggb8: self = .rggb8
    default: return nil
    }
  }

  /// The bytes of a row of the first plane.
  package func stride(_ size: FrameSize) -> Int { self == .yuyv ? size.width * 2 : size.width }
  /// The bytes of a picture.
  package func bytes(_ size: FrameSize) -> Int {
    switch self {
    case .yuyv: size.area * 2
    case .nv12: size.area * 3 / 2
    case .rggb8: size.area
    }
  }

  /// Copies `area` (its edges even) from one picture of `size` to another.
  package func copy(
    _ area: PixelArea, of source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>,
    size: FrameSize
  ) {
    let stride = stride(size)
    func copyRows(_ first: Int, _ count: Int, _ x: Int, _ width: Int) {
      for row in first..<first + count {
        (target + row * stride + x).update(from: source + row * stride + x, count: width)
      }
    }
    let scale = self == .yuyv ? 2 : 1
    copyRows(area.y, area.height, area.x * scale, area.width * scale)
    if self == .nv12 { copyRows(size.height + area.y / 2, area.height / 2, area.x, area.width) }
  }
}

extension Bitmap {
  /// Writes the top left part of this bitmap over `area` (its edges even) of a raw picture of `size`. Y'CbCr is in BT.601, video range.
  package func write(
    _ layout: RawLayout, over area: PixelArea, of target: UnsafeMutablePointer<UInt8>, size: FrameSize
  ) {
    let source = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
    let rowBytes = layout.stride(size)
    let (stride, targetStride) = (Int32(stride), Int32(rowBytes))
    let (width, height) = (Int32(area.width), Int32(area.height))
    let first = target + area.y * rowBytes
    switch layout {
    case .yuyv:
      ARGBToYUY2(source, stride, first + area.x * 2, targetStride, width, height)
    case .nv12:
      let chroma = target + (size.height + area.y / 2) * rowBytes + area.x
      ARGBToNV12(source, stride, first + area.x, targetStride, chroma, targetStride, width, height)
    case .rggb8:
      for y in 0..<area.height {
        let row = first + y * rowBytes + area.x
        let from = pixels + y * self.width
        let (even, odd): (UInt32, UInt32) = y & 1 == 0 ? (16, 8) : (8, 0)
        for x in Swift.stride(from: 0, to: area.width, by: 2) {
          row[x] = UInt8(truncatingIfNeeded: from[x] >> even)
          row[x + 1] = UInt8(truncatingIfNeeded: from[x + 1] >> odd)
        }
      }
    }
  }
}
