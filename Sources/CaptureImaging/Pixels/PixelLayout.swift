import CTurboJPEG
import CaptureModel

/// How the bytes of a pixel format make a picture. Formats that the encoder reads alike share a case.
enum PixelLayout: Hashable {
  /// 4:2:2 in one plane, in pairs of pixels.
  case packed422(lumaFirst: Bool, uFirst: Bool)
  /// A luma plane, then a plane of interleaved chroma samples. The shift says how much smaller that plane is.
  case semiplanar(ChromaShift, uFirst: Bool)
  /// Three planes. The shift says how much smaller the two chroma planes are.
  case planar(ChromaShift, uFirst: Bool)
  /// Luma alone.
  case grey
  /// Three or four bytes a pixel, in an order of `TJPF`.
  case rgb(TJPF, bytes: Int)
  /// Two bytes a pixel.
  case rgb16(PackedRGB16)
  /// 8 bits a pixel behind a Bayer filter. `redX` and `redY`: the place of the red pixel in each square of two by two.
  case bayer(redX: Int, redY: Int)
  case jpeg
}

/// How much narrower and lower chroma planes are than luma, as exponents of 2.
struct ChromaShift: Hashable {
  var x: Int
  var y: Int

  /// The width of a chroma plane for that width of luma, or the bytes of its rows for those of luma's; rounded up.
  func narrowed(_ width: Int) -> Int { (width + (1 << x) - 1) >> x }
  /// The height of a chroma plane for that height of luma; rounded up.
  func lowered(_ height: Int) -> Int { (height + (1 << y) - 1) >> y }

  static let s444 = ChromaShift(x: 0, y: 0)
  static let s422 = ChromaShift(x: 1, y: 0)
  static let s420 = ChromaShift(x: 1, y: 1)
}

/// RGB in 16 bits, little endian.
enum PackedRGB16: Hashable { case rgb565, argb1555, argb4444 }

extension PixelLayout {
  /// `nil`: nothing here reads that format.
  init?(_ format: PixelFormat) {
    guard let layout = Self.table[format] else { return nil }
    self = layout
  }

  /// The formats that have a layout, in the order of preference for a JPEG: those with less work come first.
  static let formats: [PixelFormat] = rows.map(\.format)

  private static let table: [PixelFormat: PixelLayout] = Dictionary(
    uniqueKeysWithValues: rows.map { ($0.format, $0.layout) })

  private typealias Row = (format: String, layout: PixelLayout)

  private static let rows: [(format: PixelFormat, layout: PixelLayout)] = (yuvRows + rgbRows + otherRows).map
  {
    (PixelFormat($0.format)!, $0.layout)
  }

  private static let yuvRows: [Row] = [
    ("422P", .planar(.s422, uFirst: true)), ("YM16", .planar(.s422, uFirst: true)),
    ("YM61", .planar(.s422, uFirst: false)),
    ("YU12", .planar(.s420, uFirst: true)), ("YV12", .planar(.s420, uFirst: false)),
    ("YM12", .planar(.s420, uFirst: true)), ("YM21", .planar(.s420, uFirst: false)),
    ("YUYV", .packed422(lumaFirst: true, uFirst: true)), ("YVYU", .packed422(lumaFirst: true, uFirst: false)),
    ("UYVY", .packed422(lumaFirst: false, uFirst: true)),
    ("VYUY", .packed422(lumaFirst: false, uFirst: false)),
    ("NV12", .semiplanar(.s420, uFirst: true)), ("NV21", .semiplanar(.s420, uFirst: false)),
    ("NM12", .semiplanar(.s420, uFirst: true)), ("NM21", .semiplanar(.s420, uFirst: false)),
    ("NV16", .semiplanar(.s422, uFirst: true)), ("NV61", .semiplanar(.s422, uFirst: false)),
    ("NM16", .semiplanar(.s422, uFirst: true)), ("NM61", .semiplanar(.s422, uFirst: false)),
    ("NV24", .semiplanar(.s444, uFirst: true)), ("NV42", .semiplanar(.s444, uFirst: false)),
    ("YM24", .planar(.s444, uFirst: true)), ("YM42", .planar(.s444, uFirst: false)),
    ("GREY", .grey),
  ]

  private static let rgbRows: [Row] = [
    ("RGB3", .rgb(TJPF_RGB, bytes: 3)), ("BGR3", .rgb(TJPF_BGR, bytes: 3)),
    ("XR24", .rgb(TJPF_BGRX, bytes: 4)), ("AR24", .rgb(TJPF_BGRX, bytes: 4)),
    ("BX24", .rgb(TJPF_XRGB, bytes: 4)), ("BA24", .rgb(TJPF_XRGB, bytes: 4)),
    ("XB24", .rgb(TJPF_RGBX, bytes: 4)), ("AB24", .rgb(TJPF_RGBX, bytes: 4)),
    ("RX24", .rgb(TJPF_XBGR, bytes: 4)), ("RA24", .rgb(TJPF_XBGR, bytes: 4)),
    ("RGB4", .rgb(TJPF_XRGB, bytes: 4)), ("BGR4", .rgb(TJPF_BGRX, bytes: 4)),
    ("RGBP", .rgb16(.rgb565)),
    ("XR15", .rgb16(.argb1555)), ("AR15", .rgb16(.argb1555)), ("RGBO", .rgb16(.argb1555)),
    ("XR12", .rgb16(.argb4444)), ("AR12", .rgb16(.argb4444)), ("R444", .rgb16(.argb4444)),
  ]

  private static let otherRows: [Row] = [
    ("RGGB", .bayer(redX: 0, redY: 0)), ("GRBG", .bayer(redX: 1, redY: 0)),
    ("GBRG", .bayer(redX: 0, redY: 1)), ("BA81", .bayer(redX: 1, redY: 1)),
    ("MJPG", .jpeg), ("JPEG", .jpeg),
  ]
}
