import CPixelKernels
import CaptureConvert
import CaptureModel
import CaptureSystem

/// Measures frames for focusing, metering and white balancing by software. It is not thread-safe: each worker has one. It keeps its scratch memory
/// between frames.
///
/// The meter reads rows in the frame's own memory. It measures contrast in every row, or in every second row of a large picture, together with the
/// row's two neighbours. It measures light and colour in some 80 rows or more. Averaging first would hide what focus changes. So would rows further
/// apart: they would miss a sharp edge that lies between them, but not a blurred one. A JPEG is decoded at a small size, so its contrast is that of
/// coarser detail.
public final class FrameMeter {
  public let grid: ZoneGrid
  private let decoder = JPEGDecoder()
  private let unpacker = Unpacker()
  private let frames = FrameConverter()
  private let scratch = Scratch()

  public init(grid: ZoneGrid = .standard) { self.grid = grid }

  /// Whether frames of that format can be measured.
  public static func canMeasure(_ format: PixelFormat) -> Bool {
    switch PixelLayout(FrameConverter.plainFormat(of: format)) {
    case .packed422, .semiplanar, .planar, .grey, .rgb, .jpeg: true
    case .rgb16, .bayer, nil: false
    }
  }

  /// Throws `unimplemented` for a format that ``canMeasure(_:)`` rejects and for a picture of less than two by three pixels a zone; throws `dataLoss`
  /// for a frame that is short or, from a JPEG camera, damaged.
  public func measure(_ frame: Frame) throws(CaptureError) -> FrameStatistics {
    let rows = try rows(of: frame)
    guard rows.size.width >= 2 * grid.columns, rows.size.height >= 3 * grid.rows else {
      throw CaptureError(
        .unimplemented,
        "a picture of \(frame.format.size) is too small for \(grid.columns)x\(grid.rows) zones")
    }
    var tally = ZoneTally(grid: grid)
    let step = rows.size.height > Self.smallHeight ? 2 : 1
    var colored = ColoredRows(of: rows.size.height)
    var (y, previous) = (1, Int?.none)
    while y < rows.size.height - 1 {
      let isColored = colored.take(y)
      rows.sum(y, after: previous, colors: isColored, into: &tally)
      previous = y
      // After a row with colours the very next row is read, so that even and odd rows take turns in having colours.
      y += isColored ? 1 : step
    }
    return FrameStatistics(
      sequence: frame.sequence, timestamp: frame.timestamp, grid: grid,
      zones: tally.zones(gradientScale: rows.gradientScale))
  }

  /// In pictures with more rows than this, contrast is measured in every second row.
  static let smallHeight = 540
  /// A JPEG is decoded at a half, a quarter or an eighth of its size, but no narrower than this.
  static let decodedWidth = 320

  private func rows(of frame: Frame) throws(CaptureError) -> any MeteredRows {
    let frame = try frames.plain(frame)
    switch PixelLayout(frame.format.pixelFormat) {
    case .packed422(let lumaFirst, let uFirst):
      return try PackedRows(FrameBytes(frame), lumaFirst: lumaFirst, uFirst: uFirst, scratch)
    case .semiplanar(let shift, let uFirst):
      return try SemiplanarRows(FrameBytes(frame), shift, uFirst: uFirst, scratch)
    case .planar(let shift, let uFirst):
      return PlanarRows(try unpacker.planar(FrameBytes(frame), shift, uFirst: uFirst), frame.format.matrix)
    case .grey:
      return PlanarRows(try unpacker.grey(FrameBytes(frame)), frame.format.matrix)
    case .rgb(let order, let count):
      return try RGBRows(FrameBytes(frame), order, bytes: count, scratch)
    case .jpeg:
      guard frame.payload.segments.count == 1 else {
        throw CaptureError(.dataLoss, "a JPEG frame in \(frame.payload.segments.count) pieces")
      }
      // A JFIF picture has BT.601's matrix, whatever the driver says.
      return PlanarRows(
        try decoder.decode(
          frame.payload.segments[0], size: frame.format.size, narrowest: Self.decodedWidth), .rec601)
    case .rgb16, .bayer, nil:
      throw CaptureError(.unimplemented, "\(frame.format.pixelFormat) frames cannot be measured")
    }
  }
}
