import CPixelKernels
import CYUV
import CaptureModel
import CaptureSystem

/// Converts raw Y'CbCr frames to planes, without a copy where they are planar already.
final class Unpacker {
  private let scratch: PlaneMemory

  init(into memory: PlaneMemory = PlaneMemory()) { scratch = memory }

  /// Splits 4:2:2 pairs into planes for JFIF. It widens the range and changes the matrix on the way: a second pass over the planes would cost three
  /// times as much.
  func packed(_ bytes: FrameBytes, lumaFirst: Bool, uFirst: Bool) throws(CaptureError) -> PlanarPicture {
    let color = bytes.frame.format.color
    if let matrix = ycbcr_matrix(color.matrix, isFullRange: color.isFullRange) {
      return try packed(bytes, lumaFirst: lumaFirst, uFirst: uFirst, matrix)
    }
    if color.isFullRange {
      return try split(bytes, lumaFirst: lumaFirst, uFirst: uFirst)
    }
    let (width, height) = (bytes.size.width, bytes.size.height)
    let pairs = (width + 1) / 2
    let source = try bytes.first(rowBytes: pairs * 4)
    let luma = scratch.luma.plane(width: pairs * 2, height: height)
    let first = scratch.u.plane(width: pairs, height: height)
    let second = scratch.v.plane(width: pairs, height: height)
    for y in 0..<height {
      pixels_unpack_422_video_range(
        source.row(y), pairs * 2, lumaFirst, luma.base + y * luma.stride, first.base + y * first.stride,
        second.base + y * second.stride)
    }
    return PlanarPicture(
      luma: Plane(base: luma.base, stride: luma.stride, width: width, height: height),
      chroma: uFirst ? (first.plane, second.plane) : (second.plane, first.plane), isFullRange: true,
      matrix: color.matrix)
  }

  private func packed(_ bytes: FrameBytes, lumaFirst: Bool, uFirst: Bool, _ matrix: ycbcr_matrix)
    throws(CaptureError) -> PlanarPicture
  {
    let (pairs, height) = ((bytes.size.width + 1) / 2, bytes.size.height)
    let source = try bytes.first(rowBytes: pairs * 4)
    let luma = scratch.luma.plane(width: pairs * 2, height: height)
    let u = scratch.u.plane(width: pairs, height: height)
    let v = scratch.v.plane(width: pairs, height: height)
    withUnsafePointer(to: matrix) { matrix in
      for y in 0..<height {
        pixels_unpack_422_ycbcr(
          source.row(y), pairs * 2, lumaFirst, uFirst, matrix, luma.base + y * luma.stride,
          u.base + y * u.stride, v.base + y * v.stride)
      }
    }
    return PlanarPicture(
      luma: Plane(base: luma.base, stride: luma.stride, width: bytes.size.width, height: height),
      chroma: (u.plane, v.plane), isFullRange: true)
  }

  /// Splits 4:2:2 pairs into planes without changing them.
  func split(_ bytes: FrameBytes, lumaFirst: Bool, uFirst: Bool) throws(CaptureError) -> PlanarPicture {
    let (pairs, height) = ((bytes.size.width + 1) / 2, bytes.size.height)
    let source = try bytes.first(rowBytes: pairs * 4)
    let luma = scratch.luma.plane(width: pairs * 2, height: height)
    let first = scratch.u.plane(width: pairs, height: height)
    let second = scratch.v.plane(width: pairs, height: height)
    let split = lumaFirst ? YUY2ToI422 : UYVYToI422
    _ = split(
      source.base, Int32(source.stride), luma.base, Int32(luma.stride), first.base, Int32(first.stride),
      second.base, Int32(second.stride), Int32(pairs * 2), Int32(height))
    return PlanarPicture(
      luma: Plane(base: luma.base, stride: luma.stride, width: bytes.size.width, height: height),
      chroma: uFirst ? (first.plane, second.plane) : (second.plane, first.plane),
      isFullRange: bytes.frame.format.isFullRange, matrix: bytes.frame.format.matrix)
  }

  func semiplanar(_ bytes: FrameBytes, _ shift: ChromaShift, uFirst: Bool) throws(CaptureError)
    -> PlanarPicture
  {
    let (width, height) = bytes.size.halved(shift)
    let (luma, pairs) = try bytes.semiplanar(shift)
    let first = scratch.u.plane(width: width, height: height)
    let second = scratch.v.plane(width: width, height: height)
    SplitUVPlane(
      pairs.base, Int32(pairs.stride), first.base, Int32(first.stride), second.base, Int32(second.stride),
      Int32(width), Int32(height))
    return PlanarPicture(
      luma: luma, chroma: uFirst ? (first.plane, second.plane) : (second.plane, first.plane),
      isFullRange: bytes.frame.format.isFullRange, matrix: bytes.frame.format.matrix)
  }

  func planar(_ bytes: FrameBytes, _ shift: ChromaShift, uFirst: Bool) throws(CaptureError) -> PlanarPicture {
    let (width, height) = bytes.size.halved(shift)
    let luma = try bytes.first(rowBytes: bytes.size.width)
    let stride = shift.narrowed(luma.stride)
    let first = try bytes.chromaPlane(1, sharedStride: stride, rowBytes: width, rows: height)
    let second = try bytes.chromaPlane(2, sharedStride: stride, rowBytes: width, rows: height)
    return PlanarPicture(
      luma: luma, chroma: uFirst ? (first, second) : (second, first),
      isFullRange: bytes.frame.format.isFullRange, matrix: bytes.frame.format.matrix)
  }

  func grey(_ bytes: FrameBytes) throws(CaptureError) -> PlanarPicture {
    PlanarPicture(
      luma: try bytes.first(rowBytes: bytes.size.width), chroma: nil,
      isFullRange: bytes.frame.format.isFullRange, matrix: bytes.frame.format.matrix)
  }
}

extension FrameBytes {
  /// Luma, and the plane of chroma in pairs.
  func semiplanar(_ shift: ChromaShift) throws(CaptureError) -> (luma: Plane, pairs: Plane) {
    let (width, height) = size.halved(shift)
    let luma = try first(rowBytes: size.width)
    let pairs = try chromaPlane(
      1, sharedStride: shift.narrowed(luma.stride) * 2, rowBytes: width * 2, rows: height)
    return (luma, pairs)
  }
}

extension FrameSize {
  /// The size of a chroma plane.
  fileprivate func halved(_ shift: ChromaShift) -> (width: Int, height: Int) {
    (shift.narrowed(width), shift.lowered(height))
  }
}
