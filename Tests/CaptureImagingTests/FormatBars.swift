import CaptureModel
import CaptureSystem

/// The bars in formats that are converted before they are encoded, made by arithmetic of this file's own.
struct FormatBars {
  var bars: ColorBars
  /// Bytes added to each row.
  var padding = 0
  /// The steps in a turn of hue.
  var hueSteps = 180

  func frame(_ code: String) -> Frame {
    let row = { (y: Int) in self.row(code, y) + [UInt8](repeating: 77, count: padding) }
    var bytes = (0..<bars.size.height).flatMap(row)
    if Self.deepYUV.contains(code) { bytes += chroma() }
    let color = ColorDescription(matrix: bars.matrix, isFullRange: bars.isFullRange)
    var format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: bars.size, interval: nil,
      planes: [PlaneLayout(stride: row(0).count, bytes: bytes.count)], color: color)
    format.hueSteps = hueSteps
    return Frame(
      payload: Payload(copying: bytes), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }

  static let yuv = ["Y444", "YUVO", "YUVP", "YUV3", "YUV4", "AYUV", "XYUV", "VUYA", "VUYX", "YUVA", "YUVX"]
  static let deepYUV = ["P010"]
  static let rgb = [
    "RGB1", "RGBR", "RGBQ", "AR15-BE", "XR15-BE", "RA12", "RX12", "AB12", "XB12", "GA12", "BX12", "RA15",
    "RX15",
    "AB15", "XB15", "BA15", "BX15", "BGRH", "HSV3", "HSV4",
  ]
  static let grey = ["Y10", "Y012", "Y12", "Y14", "Y16", "Y16-BE", "Y10P", "Y12P", "Y14P"]
  static let bayer: KeyValuePairs = [
    "BG10": "BGGR", "GB10": "GBRG", "BA10": "GRBG", "RG10": "RGGB", "BG12": "BGGR", "GB12": "GBRG",
    "BA12": "GRBG",
    "RG12": "RGGB", "BG14": "BGGR", "GB14": "GBRG", "GR14": "GRBG", "RG14": "RGGB", "BYR2": "BGGR",
    "GB16": "GBRG",
    "GR16": "GRBG", "RG16": "RGGB", "pBAA": "BGGR", "pGAA": "GBRG", "pgAA": "GRBG", "pRAA": "RGGB",
    "pBCC": "BGGR",
    "pGCC": "GBRG", "pgCC": "GRBG", "pRCC": "RGGB", "pBEE": "BGGR", "pGEE": "GBRG", "pgEE": "GRBG",
    "pREE": "RGGB",
  ]
  static var all: [String] { yuv + deepYUV + rgb + grey + bayer.map(\.key) }

  /// How far a colour may be off: what the format has no bits for, and what a JPEG loses.
  static func tolerance(_ code: String) -> Int {
    switch code {
    case "RGB1": 48
    case "Y444": 45
    case "YUVO", "YUVP": 20
    case "RA12", "RX12", "AB12", "XB12", "GA12", "BX12": 14
    case "RGBR", "RGBQ", "AR15-BE", "XR15-BE", "RA15", "RX15", "AB15", "XB15", "BA15", "BX15", "BGRH": 12
    default: 7
    }
  }

  private func row(_ code: String, _ y: Int) -> [UInt8] {
    let width = bars.size.width
    if let pattern = Self.bayer.first(where: { $0.key == code })?.value {
      let letters = Array(pattern)
      let samples = (0..<width).map { x -> Double in
        let rgb = rgb(x)
        return switch letters[(y & 1) * 2 + (x & 1)] {
        case "R": rgb[0]
        case "G": rgb[1]
        default: rgb[2]
        }
      }
      let bits = code.hasPrefix("p") ? ["A": 10, "C": 12, "E": 14][code.last!]! : Int(code.suffix(2)) ?? 16
      return deep(samples, bits, isPacked: code.hasPrefix("p"))
    }
    if Self.grey.contains(code) {
      let samples = (0..<width).map { Double(bars.yuv($0).y) }
      if code == "Y012" { return deep(samples, 16) }
      let bits = Int(code.dropFirst().prefix(2))!
      let bytes = deep(samples, bits, isPacked: code.hasSuffix("P"))
      return code.hasSuffix("-BE")
        ? stride(from: 0, to: bytes.count, by: 2).flatMap { [bytes[$0 + 1], bytes[$0]] } : bytes
    }
    if Self.deepYUV.contains(code) { return (0..<width).flatMap { upperTen(bars.yuv($0).y) } }
    return (0..<width).flatMap { pixel(code, $0) }
  }

  /// In the range of the bars; hue and saturation know of none.
  private func rgb(_ x: Int) -> [Double] {
    bars.isFullRange ? bars.color(x) : bars.color(x).map { $0 * 219 / 255 + 16 }
  }

  /// Pairs at half the width and height, their rows padded to those of luma.
  private func chroma() -> [UInt8] {
    let pairs = (0..<(bars.size.width + 1) / 2).map { bars.yuv(2 * $0) }
    let row = pairs.flatMap { upperTen($0.u) + upperTen($0.v) } + [UInt8](repeating: 77, count: padding)
    return (0..<(bars.size.height + 1) / 2).flatMap { _ in row }
  }

  /// A sample of 8 bits in the upper 10 of 16, little endian; no driver says what the other six are.
  private func upperTen(_ sample: UInt8) -> [UInt8] { [0x3F, sample] }

  /// Samples of 0…255 in more bits.
  private func deep(_ samples: [Double], _ bits: Int, isPacked: Bool = false) -> [UInt8] {
    let values = samples.map { UInt32(($0 * Double(1 << bits - 1) / 255).rounded()) }
    guard isPacked else { return values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
    let (group, bytes) = [10: (4, 5), 12: (2, 3), 14: (4, 7)][bits]!
    return stride(from: 0, to: values.count, by: group).flatMap { start -> [UInt8] in
      let part = (0..<group).map { start + $0 < values.count ? values[start + $0] : 0 }
      var low: UInt64 = 0
      for (index, value) in part.enumerated() {
        low |= UInt64(value & (1 << (bits - 8) - 1)) << ((bits - 8) * index)
      }
      return part.map { UInt8($0 >> (bits - 8)) }
        + (0..<bytes - group).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
    }
  }

  private func pixel(_ code: String, _ x: Int) -> [UInt8] {
    let (y, u, v) = bars.yuv(x)
    let rgb = code.hasPrefix("HSV") ? bars.color(x) : rgb(x)
    /// The colours' upper bits one after the other, the first one's the uppermost; `below`: bits under the last.
    func word(_ values: [(Double, Int)], below: Int = 0) -> UInt16 {
      values.reduce(0) { $0 << $1.1 | UInt16(($1.0 * Double(1 << $1.1 - 1) / 255).rounded()) } << below
    }
    func upper(_ values: [(UInt8, Int)]) -> UInt16 {
      values.reduce(0) { $0 << $1.1 | UInt16($1.0) >> (8 - $1.1) }
    }
    func little(_ word: UInt16) -> [UInt8] { [UInt8(word & 0xFF), UInt8(word >> 8)] }
    func big(_ word: UInt16) -> [UInt8] { [UInt8(word >> 8), UInt8(word & 0xFF)] }
    let (r, g, b) = (rgb[0], rgb[1], rgb[2])
    switch code {
    case "Y444": return little(upper([(y, 4), (u, 4), (v, 4)]) | 0xA000)
    case "YUVO": return little(upper([(y, 5), (u, 5), (v, 5)]) | 0x8000)
    case "YUVP": return little(upper([(y, 5), (u, 6), (v, 5)]))
    case "YUV3": return [y, u, v]
    case "YUV4", "AYUV", "XYUV": return [99, y, u, v]
    case "VUYA", "VUYX": return [v, u, y, 99]
    case "YUVA", "YUVX": return [y, u, v, 99]
    case "RGB1": return [UInt8(word([(r, 3), (g, 3), (b, 2)]))]
    case "RGBR": return big(word([(r, 5), (g, 6), (b, 5)]))
    case "RGBQ", "AR15-BE", "XR15-BE": return big(word([(r, 5), (g, 5), (b, 5)]) | 0x8000)
    case "RA12", "RX12": return little(word([(r, 4), (g, 4), (b, 4)], below: 4) | 0xB)
    case "AB12", "XB12": return little(word([(b, 4), (g, 4), (r, 4)]) | 0xB000)
    case "GA12", "BX12": return little(word([(b, 4), (g, 4), (r, 4)], below: 4) | 0xB)
    case "RA15", "RX15": return little(word([(r, 5), (g, 5), (b, 5)], below: 1) | 1)
    case "AB15", "XB15": return little(word([(b, 5), (g, 5), (r, 5)]) | 0x8000)
    case "BA15", "BX15": return little(word([(b, 5), (g, 5), (r, 5)], below: 1) | 1)
    case "BGRH":
      let six = [b, g, r].map { UInt32(($0 * 63 / 255).rounded()) }
      let bits = six[0] << 26 | six[1] << 20 | six[2] << 14 | 0x3FF
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
    case "HSV3": return hsv(r, g, b)
    case "HSV4": return [99] + hsv(r, g, b)
    default: fatalError("no bars in \(code)")
    }
  }

  private func hsv(_ r: Double, _ g: Double, _ b: Double) -> [UInt8] {
    let (most, least) = (max(r, g, b), min(r, g, b))
    let range = most - least
    var hue = 0.0
    if range > 0 {
      hue = most == r ? (g - b) / range : most == g ? 2 + (b - r) / range : 4 + (r - g) / range
      if hue < 0 { hue += 6 }
    }
    return [
      UInt8(Int((hue * Double(hueSteps) / 6).rounded()) % hueSteps), UInt8((range / most * 255).rounded()),
      UInt8(most.rounded()),
    ]
  }
}
