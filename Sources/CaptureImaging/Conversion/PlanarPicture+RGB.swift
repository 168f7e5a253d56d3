import CYUV
import CaptureModel
import CaptureSystem

extension PlanarPicture {
  /// Writes red, green and blue in the full range. The picture must have colour in 4:4:4, 4:2:2 or 4:2:0, and BT.601's matrix.
  ///
  /// libyuv's other matrices are not used: for BT.709 and BT.2020 in the limited range, blue is off by up to 18 of 255, since its factor has 7 bits
  /// and would need 8.
  func convert(to target: PixelTarget, _ base: UnsafeMutablePointer<UInt8>, stride: Int) {
    let shift = ChromaShift(of: self)
    let isBGRA = target == .bgra
    let convert =
      switch (shift.x, shift.y) {
      case (0, _): isBGRA ? I444ToARGBMatrix : I444ToRGB24Matrix
      case (_, 0): isBGRA ? I422ToARGBMatrix : I422ToRGB24Matrix
      default: isBGRA ? I420ToARGBMatrix : I420ToRGB24Matrix
      }
    let chroma = chroma!
    // What libyuv calls RGB24 is B G R.
    let (first, second) = isBGRA ? (chroma.u, chroma.v) : (chroma.v, chroma.u)
    _ = convert(
      luma.base, Int32(luma.stride), first.base, Int32(first.stride), second.base, Int32(second.stride),
      base, Int32(stride), yuv_rec601(isFullRange, !isBGRA), Int32(luma.width), Int32(luma.height))
  }

  /// The picture itself, if it has chroma; otherwise the picture with colourless chroma of 4:2:0, of which one row serves as all rows.
  func colored(in scratch: Scratch) -> PlanarPicture {
    guard chroma == nil else { return self }
    let width = ChromaShift.s420.narrowed(luma.width)
    let row = scratch.bytes(width)
    row.update(repeating: 128, count: width)
    let plane = Plane(
      base: row, stride: 0, width: width, height: ChromaShift.s420.lowered(luma.height))
    var result = self
    result.chroma = (plane, plane)
    return result
  }
}
