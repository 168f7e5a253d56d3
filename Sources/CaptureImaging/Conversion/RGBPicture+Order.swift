import CPixelKernels
import CTurboJPEG
import CYUV
import CaptureModel
import CaptureSystem

extension RGBPicture {
  /// The picture in a target's order, without padding.
  func packed(_ target: PixelTarget, into pool: PayloadPool) -> RawPicture {
    pool.picture(target, size) { base in
      if target == .bgra { return writeBGRA(to: base, stride: size.width * 4) }
      writeRGB(to: base)
    }
  }

  /// The picture in the order B G R and one more byte, in which libyuv reads it.
  func ordered(in scratch: Scratch) -> RGBPicture {
    if order == TJPF_BGRX { return self }
    let target = scratch.plane(width: size.width * 4, height: size.height)
    writeBGRA(to: target.base, stride: target.stride)
    return RGBPicture(
      base: target.base, stride: target.stride, size: size, order: TJPF_BGRX, bytesPerPixel: 4)
  }

  private func writeBGRA(to target: UnsafeMutablePointer<UInt8>, stride targetStride: Int) {
    if bytesPerPixel == 3 {
      let convert = order == TJPF_RGB ? RAWToARGB : RGB24ToARGB
      _ = convert(base, Int32(stride), target, Int32(targetStride), Int32(size.width), Int32(size.height))
      return
    }
    for y in 0..<size.height { orderRow(y, target + y * targetStride) }
  }

  private func writeRGB(to target: UnsafeMutablePointer<UInt8>) {
    let (width, height, row) = (Int32(size.width), Int32(size.height), size.width * 3)
    if bytesPerPixel == 3 {
      if order == TJPF_RGB {
        CopyPlane(base, Int32(stride), target, Int32(row), Int32(row), height)
      } else {
        _ = RAWToRGB24(base, Int32(stride), target, Int32(row), width, height)
      }
      return
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size.width * 4) { bgra in
      for y in 0..<size.height {
        orderRow(y, bgra.baseAddress!)
        _ = ARGBToRAW(bgra.baseAddress!, 0, target + y * row, 0, width, 1)
      }
    }
  }

  private func orderRow(_ y: Int, _ target: UnsafeMutablePointer<UInt8>) {
    let places = order.places
    pixels_order_bgra(base + y * stride, size.width, places.red, places.green, places.blue, target)
  }
}
