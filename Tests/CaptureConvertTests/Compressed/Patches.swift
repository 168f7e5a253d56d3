import CaptureModel

/// A picture of patches, 32 pixels wide and high, of four colours. Its extensions write it in webcams' compressed formats, with the tables
/// of codes that the decoder has, and S561's steps and S401's packets as the decoder reads them.
struct Patches {
  var size = FrameSize(width: 192, height: 128)

  private static let colours = [[200, 30, 90], [40, 180, 60], [20, 70, 210], [240, 240, 10]]

  /// Red, green and blue.
  func colour(_ x: Int, _ y: Int) -> [Int] { Self.colours[(x / 32 + y / 32) % 4] }

  /// Luma and chroma as JPEG has them, in the full range.
  func yuv(_ x: Int, _ y: Int) -> [Double] {
    let rgb = colour(x, y).map { Double($0) }
    let luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]
    return [luma, 128 + (rgb[2] - luma) / 1.772, 128 + (rgb[0] - luma) / 1.402]
  }

  /// A sample behind a colour filter, whose pattern is as in `BayerFormat`.
  func sample(_ x: Int, _ y: Int, _ pattern: [Int]) -> Int { colour(x, y)[pattern[y % 2 * 2 + x % 2]] }

  static let (bggr, gbrg, rggb) = ([2, 1, 1, 0], [1, 2, 0, 1], [0, 1, 1, 2])

  /// The picture in a format; `nil` if nothing here writes it.
  func encoded(_ code: String) -> [UInt8]? {
    switch code {
    case "S910": sn9c10x()
    case "P207": pac207()
    case "SONX": sn9c2028()
    case "M310": mr97310a()
    case "905C": sq905c()
    case "S401": se401()
    case "JL20": jl2005bcd()
    case "PJPG": pixartJPEG()
    case "S561": spca561()
    default: nil
    }
  }
}
