import CPixelKernels
import CTurboJPEG
import CYUV
import CaptureModel

/// Rows of a picture for the measuring loops. They are valid as long as the frame and the scratch memory from which they were made.
protocol MeteredRows {
  var size: FrameSize { get }
  /// The size of one step of the luma samples, in steps of the full range.
  var gradientScale: Double { get }
  /// Adds the contrast of row `y`, which has a row above and one below it, and its colours if they are wanted. `previous`: the row of this
  /// picture that was added before, which need not be the one above.
  func sum(_ y: Int, after previous: Int?, colors: Bool, into tally: inout ZoneTally)
}

extension MeteredRows {
  /// Row `y` and its two neighbours, without `previous` and the neighbours of `previous`.
  static func newRows(about y: Int, after previous: Int?) -> ClosedRange<Int> {
    max(y - 1, previous.map { $0 + 2 } ?? 0)...(y + 1)
  }
}

/// Rows of planes.
struct PlanarRows: MeteredRows {
  let size: FrameSize
  let gradientScale: Double
  private let picture: PlanarPicture
  private let conversion: color_conversion
  private let shift: ChromaShift

  init(_ picture: PlanarPicture, _ matrix: ColorMatrix) {
    self.picture = picture
    size = FrameSize(width: picture.luma.width, height: picture.luma.height)
    gradientScale = picture.isFullRange ? 1 : 255 / 219
    conversion = color_conversion(matrix, isFullRange: picture.isFullRange)
    let chroma = picture.chroma?.u ?? picture.luma
    shift = ChromaShift(x: chroma.width < size.width ? 1 : 0, y: chroma.height < size.height ? 1 : 0)
  }

  func sum(_ y: Int, after previous: Int?, colors: Bool, into tally: inout ZoneTally) {
    let luma = picture.luma.row(y)
    tally.addGradient(y, of: size) { zones, columns in
      pixels_sum_gradient(
        picture.luma.row(y - 1), luma, picture.luma.row(y + 1), size.width, columns, zones)
    }
    guard colors else { return }
    // If two luma samples share a chroma sample and the width is odd, the last luma sample is left out.
    let count = size.width >> shift.x
    tally.addColors(y, of: size.height, count: count) { zones, columns in
      withUnsafePointer(to: conversion) { conversion in
        pixels_sum_yuv(
          luma, picture.chroma?.u.row(y >> shift.y), picture.chroma?.v.row(y >> shift.y), count,
          UInt32(shift.x), conversion, columns, zones)
      }
    }
  }
}
