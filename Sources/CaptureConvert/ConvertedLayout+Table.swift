import CaptureModel

extension ConvertedLayout {
  /// `nil`: nothing here converts that format, or it needs no conversion.
  init?(_ format: PixelFormat) {
    guard let layout = Self.table[format] else { return nil }
    self = layout
  }

  static let formats: [PixelFormat] = rows.map { PixelFormat($0.code)! }

  private static let table: [PixelFormat: ConvertedLayout] = Dictionary(
    uniqueKeysWithValues: rows.map { (PixelFormat($0.code)!, $0.layout) })

  private typealias Row = (code: String, layout: ConvertedLayout)

  private static let rows: [Row] = yuvRows + rgbRows + greyRows + bayerRows + LibraryFormat.rows

  private static let yuvRows: [Row] = [
    ("Y444", PixelWord.ycbcr(2, [(8, 4), (4, 4), (0, 4)])),
    ("YUVO", PixelWord.ycbcr(2, [(10, 5), (5, 5), (0, 5)])),
    ("YUVP", PixelWord.ycbcr(2, [(11, 5), (5, 6), (0, 5)])),
    ("YUV3", PixelWord.ycbcr(3, [(0, 8), (8, 8), (16, 8)])),
    ("YUV4", PixelWord.ycbcr(4, [(8, 8), (16, 8), (24, 8)])),
    ("AYUV", PixelWord.ycbcr(4, [(8, 8), (16, 8), (24, 8)])),
    ("XYUV", PixelWord.ycbcr(4, [(8, 8), (16, 8), (24, 8)])),
    ("VUYA", PixelWord.ycbcr(4, [(16, 8), (8, 8), (0, 8)])),
    ("VUYX", PixelWord.ycbcr(4, [(16, 8), (8, 8), (0, 8)])),
    ("YUVA", PixelWord.ycbcr(4, [(0, 8), (8, 8), (16, 8)])),
    ("YUVX", PixelWord.ycbcr(4, [(0, 8), (8, 8), (16, 8)])),
    ("P010", .deepSemiplanar420),
  ]

  private static let rgbRows: [Row] = [
    ("RGB1", PixelWord.rgb(1, [(5, 3), (2, 3), (0, 2)])),
    ("RGBR", PixelWord.rgb(2, [(11, 5), (5, 6), (0, 5)], bigEndian: true)),
    ("RGBQ", PixelWord.rgb(2, [(10, 5), (5, 5), (0, 5)], bigEndian: true)),
    ("AR15-BE", PixelWord.rgb(2, [(10, 5), (5, 5), (0, 5)], bigEndian: true)),
    ("XR15-BE", PixelWord.rgb(2, [(10, 5), (5, 5), (0, 5)], bigEndian: true)),
    ("RA12", PixelWord.rgb(2, [(12, 4), (8, 4), (4, 4)])),
    ("RX12", PixelWord.rgb(2, [(12, 4), (8, 4), (4, 4)])),
    ("AB12", PixelWord.rgb(2, [(0, 4), (4, 4), (8, 4)])),
    ("XB12", PixelWord.rgb(2, [(0, 4), (4, 4), (8, 4)])),
    ("GA12", PixelWord.rgb(2, [(4, 4), (8, 4), (12, 4)])),
    ("BX12", PixelWord.rgb(2, [(4, 4), (8, 4), (12, 4)])),
    ("RA15", PixelWord.rgb(2, [(11, 5), (6, 5), (1, 5)])),
    ("RX15", PixelWord.rgb(2, [(11, 5), (6, 5), (1, 5)])),
    ("AB15", PixelWord.rgb(2, [(0, 5), (5, 5), (10, 5)])),
    ("XB15", PixelWord.rgb(2, [(0, 5), (5, 5), (10, 5)])),
    ("BA15", PixelWord.rgb(2, [(1, 5), (6, 5), (11, 5)])),
    ("BX15", PixelWord.rgb(2, [(1, 5), (6, 5), (11, 5)])),
    ("BGRH", PixelWord.rgb(4, [(14, 6), (20, 6), (26, 6)], bigEndian: true)),
    ("HSV3", .hsv(bytes: 3)), ("HSV4", .hsv(bytes: 4)),
  ]

  private static let greyRows: [Row] = [
    ("Y10", .deep(.word(bits: 10, bigEndian: false), .grey)),
    ("Y012", .deep(.word(bits: 16, bigEndian: false), .grey)),  // Its upper 12 bits count.
    ("Y12", .deep(.word(bits: 12, bigEndian: false), .grey)),
    ("Y14", .deep(.word(bits: 14, bigEndian: false), .grey)),
    ("Y16", .deep(.word(bits: 16, bigEndian: false), .grey)),
    ("Y16-BE", .deep(.word(bits: 16, bigEndian: true), .grey)),
    ("Y10P", .deep(.packed(samples: 4, bytes: 5), .grey)),
    ("Y12P", .deep(.packed(samples: 2, bytes: 3), .grey)),
    ("Y14P", .deep(.packed(samples: 4, bytes: 7), .grey)),
  ]

  private static let bayerRows: [Row] = {
    let orders: [PixelFormat] = [.bggr8, .gbrg8, .grbg8, .rggb8]
    let families: [(codes: String, sample: DeepSample)] = [
      ("BG10 GB10 BA10 RG10", .word(bits: 10, bigEndian: false)),
      ("BG12 GB12 BA12 RG12", .word(bits: 12, bigEndian: false)),
      ("BG14 GB14 GR14 RG14", .word(bits: 14, bigEndian: false)),
      ("BYR2 GB16 GR16 RG16", .word(bits: 16, bigEndian: false)),
      ("pBAA pGAA pgAA pRAA", .packed(samples: 4, bytes: 5)),
      ("pBCC pGCC pgCC pRCC", .packed(samples: 2, bytes: 3)),
      ("pBEE pGEE pgEE pREE", .packed(samples: 4, bytes: 7)),
    ]
    return families.flatMap { codes, sample in
      zip(codes.split(separator: " "), orders).map { (String($0), .deep(sample, $1)) }
    }
  }()
}
