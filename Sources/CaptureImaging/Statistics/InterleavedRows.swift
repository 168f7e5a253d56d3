import CPixelKernels
import CTurboJPEG
import CYUV
import CaptureModel
import CaptureSystem

/// Rows of packed 4:2:2, split as they are needed.
struct PackedRows: MeteredRows {
  let size: FrameSize
  let gradientScale: Double
  private let source: Plane
  private let lumaFirst: Bool
  private let conversion: color_conversion
  private let rows: ScratchRows
  private let chroma: (u: Int, v: Int)

  init(_ bytes: FrameBytes, lumaFirst: Bool, uFirst: Bool, _ scratch: Scratch) throws(CaptureError) {
    let pairs = bytes.size.width / 2
    source = try bytes.first(rowBytes: pairs * 4)
    size = FrameSize(width: pairs * 2, height: bytes.size.height)
    gradientScale = bytes.frame.format.isFullRange ? 1 : 255 / 219
    conversion = color_conversion(bytes.frame.format.matrix, isFullRange: bytes.frame.format.isFullRange)
    self.lumaFirst = lumaFirst
    // Three rows of luma, and two of chroma.
    rows = ScratchRows(scratch, count: 5, width: pairs * 2)
    chroma = uFirst ? (3, 4) : (4, 3)
  }

  func sum(_ y: Int, after previous: Int?, colors: Bool, into tally: inout ZoneTally) {
    let (luma, split) = lumaFirst ? (YUY2ToY, YUY2ToI422) : (UYVYToY, UYVYToI422)
    let (stride, width) = (Int32(source.stride), Int32(size.width))
    for row in Self.newRows(about: y, after: previous) {
      _ = luma(source.row(row), stride, rows[row % 3], 0, width, 1)
    }
    tally.addGradient(y, of: size) { zones, columns in
      pixels_sum_gradient(rows[(y - 1) % 3], rows[y % 3], rows[(y + 1) % 3], size.width, columns, zones)
    }
    guard colors else { return }
    _ = split(source.row(y), stride, rows[y % 3], 0, rows[3], 0, rows[4], 0, width, 1)
    tally.addColors(y, of: size.height, count: size.width / 2) { zones, columns in
      withUnsafePointer(to: conversion) { conversion in
        pixels_sum_yuv(
          rows[y % 3], rows[chroma.u], rows[chroma.v], size.width / 2, 1, conversion, columns, zones)
      }
    }
  }
}

/// Rows of a luma plane and of a plane with both chroma components.
struct SemiplanarRows: MeteredRows {
  let size: FrameSize
  let gradientScale: Double
  private let luma: Plane
  private let pairs: Plane
  private let shift: ChromaShift
  private let conversion: color_conversion
  private let rows: ScratchRows
  private let chroma: (u: Int, v: Int)

  init(_ bytes: FrameBytes, _ shift: ChromaShift, uFirst: Bool, _ scratch: Scratch) throws(CaptureError) {
    size = bytes.size
    luma = try bytes.first(rowBytes: size.width)
    let width = shift.narrowed(size.width)
    pairs = try bytes.chromaPlane(
      1, sharedStride: shift.narrowed(luma.stride) * 2, rowBytes: width * 2,
      rows: shift.lowered(size.height))
    gradientScale = bytes.frame.format.isFullRange ? 1 : 255 / 219
    conversion = color_conversion(bytes.frame.format.matrix, isFullRange: bytes.frame.format.isFullRange)
    self.shift = shift
    rows = ScratchRows(scratch, count: 2, width: width)
    chroma = uFirst ? (0, 1) : (1, 0)
  }

  func sum(_ y: Int, after previous: Int?, colors: Bool, into tally: inout ZoneTally) {
    tally.addGradient(y, of: size) { zones, columns in
      pixels_sum_gradient(
        luma.row(y - 1), luma.row(y), luma.row(y + 1), size.width, columns, zones)
    }
    guard colors else { return }
    let count = size.width >> shift.x
    SplitUVPlane(pairs.row(y >> shift.y), 0, rows[0], 0, rows[1], 0, Int32(count), 1)
    tally.addColors(y, of: size.height, count: count) { zones, columns in
      withUnsafePointer(to: conversion) { conversion in
        pixels_sum_yuv(
          luma.row(y), rows[chroma.u], rows[chroma.v], count, UInt32(shift.x), conversion,
          columns, zones)
      }
    }
  }
}

/// Rows of whole pixels of three or four bytes.
struct RGBRows: MeteredRows {
  let size: FrameSize
  let gradientScale = 1.0
  private let source: Plane
  private let bytes: Int
  private let places: (red: Int, green: Int, blue: Int)
  private let isFullRange: Bool
  private let rows: ScratchRows

  init(_ frame: FrameBytes, _ order: TJPF, bytes: Int, _ scratch: Scratch) throws(CaptureError) {
    size = frame.size
    self.bytes = bytes
    source = try frame.first(rowBytes: size.width * bytes)
    places = order.places
    isFullRange = frame.frame.format.isFullRange
    // Three rows of luma, and a widened one where the range is limited.
    rows = ScratchRows(scratch, count: 4, width: size.width * (isFullRange ? 1 : bytes))
  }

  /// The pixels of a row, valid until the next call.
  private func pixels(_ y: Int) -> UnsafePointer<UInt8> {
    if isFullRange { return source.row(y) }
    pixels_widen_luma(source.row(y), rows[3], size.width * bytes)
    return UnsafePointer(rows[3])
  }

  func sum(_ y: Int, after previous: Int?, colors: Bool, into tally: inout ZoneTally) {
    for row in Self.newRows(about: y, after: previous) {
      pixels_luma_of_rgb(
        pixels(row), size.width, bytes, places.red, places.green, places.blue, rows[row % 3])
    }
    tally.addGradient(y, of: size) { zones, columns in
      pixels_sum_gradient(rows[(y - 1) % 3], rows[y % 3], rows[(y + 1) % 3], size.width, columns, zones)
    }
    guard colors else { return }
    let row = pixels(y)
    tally.addColors(y, of: size.height, count: size.width) { zones, columns in
      pixels_sum_rgb(
        row, size.width, bytes, places.red, places.green, places.blue, columns, zones)
    }
  }
}

/// A few rows of scratch memory.
struct ScratchRows {
  private let base: UnsafeMutablePointer<UInt8>
  private let stride: Int

  init(_ scratch: Scratch, count: Int, width: Int) {
    stride = (width + 63) & ~63
    base = scratch.bytes(stride * count)
  }

  subscript(row: Int) -> UnsafeMutablePointer<UInt8> { base + row * stride }
}
