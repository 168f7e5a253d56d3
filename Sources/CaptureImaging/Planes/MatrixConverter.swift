import CPixelKernels
import CTurboJPEG
import CaptureModel
import CaptureSystem

/// Converts pictures of planes to JFIF's matrix and range. It is not thread-safe: each worker has one.
final class MatrixConverter {
  private let scratch = (Scratch(), Scratch(), Scratch())
  private let pixels = Scratch()
  private let tables = ConstantLuminanceTables()

  /// Converts the picture to BT.601's matrix and the full range. A picture that is grey or has that matrix already is returned as it is. The result
  /// is valid until the next call.
  func convert(_ picture: PlanarPicture) -> PlanarPicture {
    guard let chroma = picture.chroma,
      let matrix = ycbcr_matrix(picture.matrix, isFullRange: picture.isFullRange)
    else { return picture }
    let source = picture.luma
    let luma = scratch.0.plane(width: source.width, height: source.height)
    let u = scratch.1.plane(width: chroma.u.width, height: chroma.u.height)
    let v = scratch.2.plane(width: chroma.v.width, height: chroma.v.height)
    let shift = ChromaShift(of: picture)
    withUnsafePointer(to: matrix) { matrix in
      for y in 0..<source.height {
        let row = y >> shift.y
        let isFirst = y == row << shift.y
        pixels_convert_ycbcr(
          source.row(y), chroma.u.row(row), chroma.v.row(row), source.width, UInt32(shift.x), matrix,
          luma.base + y * luma.stride, isFirst ? u.base + row * u.stride : nil,
          isFirst ? v.base + row * v.stride : nil)
      }
    }
    return PlanarPicture(luma: luma.plane, chroma: (u.plane, v.plane), isFullRange: true)
  }

  /// Red, green and blue of a picture in BT.2020 with constant luminance; valid until the next call.
  func pixels(constantLuminance picture: PlanarPicture) -> RGBPicture {
    let source = picture.luma
    let chroma = picture.chroma!
    let target = pixels.plane(width: source.width * 4, height: source.height)
    let shift = ChromaShift(of: picture)
    tables.with(isFullRange: picture.isFullRange) { table in
      for y in 0..<source.height {
        pixels_constant_luminance(
          source.row(y), chroma.u.row(y >> shift.y), chroma.v.row(y >> shift.y), source.width,
          UInt32(shift.x), table, target.base + y * target.stride)
      }
    }
    return RGBPicture(
      base: target.base, stride: target.stride, size: FrameSize(width: source.width, height: source.height),
      order: TJPF_RGBX, bytesPerPixel: 4)
  }
}

extension ChromaShift {
  /// How much smaller a picture's chroma planes are than its luma: 0 or 1 in each direction.
  init(of picture: PlanarPicture) {
    let chroma = picture.chroma?.u ?? picture.luma
    self.init(
      x: chroma.width < picture.luma.width ? 1 : 0, y: chroma.height < picture.luma.height ? 1 : 0)
  }
}
