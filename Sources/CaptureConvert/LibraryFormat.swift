import CaptureModel

/// A pixel format that libv4lconvert reads, and how it is asked to.
struct LibraryFormat {
  var format: PixelFormat
  /// What it is converted to: `RGB3`, `YU12`, or `GREY`, which is the luma of `YU12`.
  var plain: PixelFormat
  /// Bits a pixel that a whole frame has; 0 for a compressed format.
  var bitsPerPixel: Int
  /// A frame is rows one after the other, which a driver may have padded; else it is blocks, or compressed.
  var hasRows: Bool
  /// The result has the full range whatever the driver says of its own format.
  var isFullRange: Bool

  /// Not here: `O511` and `O518`, which the library gives to a program that it starts; `JPGL`, whose decoder reads where it must not when a frame is
  /// damaged (Tests/Fuzz/convert.c); `CPIA`, whose decoder prints a line for each damaged frame; formats that are read without it.
  static let rows: [(code: String, layout: ConvertedLayout)] =
    // Y'CbCr 4:2:0 in orders of their own.
    ["HM12", "S501", "S505", "S508", "CITV", "KONI", "S920"].map { row($0, .yu12, 12) }
    + [row("M420", .yu12, 12, hasRows: true), row("Y10B", .grey, 10, hasRows: true)]
    + [row("Y04", .grey, 8, hasRows: true), row("Y06", .grey, 8, hasRows: true)]
    + [row("PJPG", .yu12, 0, isFullRange: true)]
    // Behind a colour filter, most of them compressed.
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

  /// Of a format with rows: their bytes without padding, and how many there are. Chroma of `M420` has rows of its own.
  func rows(_ size: FrameSize) -> (bytes: Int, count: Int) {
    bitsPerPixel == 12
      ? (size.width, size.height * 3 / 2) : ((size.width * bitsPerPixel + 7) / 8, size.height)
  }

  /// Bytes that a frame has at least; 1 for a compressed one.
  func leastBytes(_ size: FrameSize) -> Int { max((size.area * bitsPerPixel + 7) / 8, 1) }
}
