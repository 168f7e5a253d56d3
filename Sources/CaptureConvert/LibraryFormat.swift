import CaptureModel

/// A pixel format that libv4lconvert reads, and what it is converted to.
struct LibraryFormat {
  var format: PixelFormat
  /// The format to which it is converted: `RGB3`, `YU12`, or `GREY`, which is the luma of `YU12`.
  var plain: PixelFormat
  /// The bits of a pixel in a complete frame; 0 for a compressed format.
  var bitsPerPixel: Int
  /// Whether a frame consists of rows one after the other, which a driver may have padded. Otherwise it consists of blocks, or is compressed.
  var hasRows: Bool
  /// Whether the result has the full range, whatever the driver says of its own format.
  var isFullRange: Bool

  /// Some formats are left out: `O511` and `O518`, for which the library starts another program; `JPGL`, whose decoder reads outside a damaged frame
  /// (Tests/Fuzz/convert.c); `CPIA`, whose decoder prints a line for each damaged frame; and formats that need no library.
  static let rows: [(code: String, layout: ConvertedLayout)] =
    // Y'CbCr 4:2:0 in special orders.
    ["HM12", "S501", "S505", "S508", "CITV", "KONI", "S920"].map { row($0, .yu12, 12) }
    + [row("M420", .yu12, 12, hasRows: true), row("Y10B", .grey, 10, hasRows: true)]
    + [row("Y04", .grey, 8, hasRows: true), row("Y06", .grey, 8, hasRows: true)]
    + [row("PJPG", .yu12, 0, isFullRange: true)]
    // Formats behind a colour filter, most of them compressed.
    + [row("S680", .rgb3, 8, hasRows: true, isFullRange: true)]
    + ["S561", "S910", "SONX", "P207", "M310", "JL20", "905C", "S401"].map {
      row($0, .rgb3, 0, isFullRange: true)
    }

  private static func row(
    _ code: String, _ plain: PixelFormat, _ bitsPerPixel: Int, hasRows: Bool = false,
    isFullRange: Bool = false
  ) -> (code: String, layout: ConvertedLayout) {
    let format = LibraryFormat(
      format: PixelFormat(code)!, plain: plain, bitsPerPixel: bitsPerPixel, hasRows: hasRows,
      isFullRange: isFullRange)
    return (code, .library(format))
  }

  /// For a format with rows: the bytes of a row without padding, and the number of rows. The chroma of `M420` has rows of its own.
  func rows(_ size: FrameSize) -> (bytes: Int, count: Int) {
    bitsPerPixel == 12
      ? (size.width, size.height * 3 / 2) : ((size.width * bitsPerPixel + 7) / 8, size.height)
  }

  /// The least bytes of a frame; 1 for a compressed one.
  func leastBytes(_ size: FrameSize) -> Int { max((size.area * bitsPerPixel + 7) / 8, 1) }
}
