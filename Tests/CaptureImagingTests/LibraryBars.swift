import CaptureModel
import CaptureSystem

/// The bars in uncompressed formats that libv4lconvert reads. They are made from what drivers' authors say of each: the kernel's `videodev2.h`, and the
/// library's own comments.
struct LibraryBars {
  /// Y'CbCr 4:2:0. Lines of luma with those of chroma in pairs between them; lines of each component, signed; a line of luma, then one of all three
  /// components; blocks of 256 pixels; squares of luma and chroma.
  static let chroma = ["M420", "S501", "S505", "S508", "CITV", "KONI", "S920"]
  /// Luma in the upper bits of a byte.
  static let grey = ["Y04", "Y06"]
  /// Behind a colour filter of red, green, green and blue: of each row the columns that are even, then the odd ones.
  static let bayer = ["S680"]

  var bars: ColorBars

  func frame(_ code: String) -> Frame {
    let bytes: [UInt8]
    switch code {
    case "KONI": bytes = blocksOf256()
    case "S920": bytes = squares()
    case "S680": bytes = (0..<bars.size.height).flatMap(halvesOfRow)
    case "Y04": bytes = (0..<bars.size.height).flatMap { _ in luma.map { $0 & 0xF0 } }
    case "Y06": bytes = (0..<bars.size.height).flatMap { _ in luma.map { $0 & 0xFC } }
    default: bytes = (0..<bars.size.height / 2).flatMap { _ in twoLines(code) }
    }
    let color = ColorDescription(matrix: bars.matrix, isFullRange: bars.isFullRange)
    return Frame(
      payload: Payload(copying: bytes),
      format: StreamFormat(
        pixelFormat: PixelFormat(code)!, size: bars.size, interval: nil, planes: [], color: color),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }

  // A row of the picture: they are all alike.
  private var luma: [UInt8] { (0..<bars.size.width).map { bars.yuv($0).y } }
  private var pairs: [(u: UInt8, v: UInt8)] {
    (0..<bars.size.width / 2).map { (bars.yuv(2 * $0).u, bars.yuv(2 * $0).v) }
  }

  private func twoLines(_ code: String) -> [UInt8] {
    let (y, pairs) = (luma, pairs)
    let (u, v) = (pairs.map(\.u), pairs.map(\.v))
    let signed: ([UInt8]) -> [UInt8] = { $0.map { $0 ^ 0x80 } }
    switch code {
    case "M420": return y + y + pairs.flatMap { [$0.u, $0.v] }
    case "S501": return signed(y + u + y + v)
    case "S505": return signed(y + y + u + v)
    case "CITV": return y + pairs.indices.flatMap { [v[$0], y[2 * $0], u[$0], y[2 * $0 + 1]] }
    default: return signed(y + u + v + y)
    }
  }

  /// Blocks of 256 pixels: their part of each plane, one plane after the other.
  private func blocksOf256() -> [UInt8] {
    let (y, pairs, size) = (luma, pairs, bars.size)
    return (0..<size.area / 256).flatMap { block -> [UInt8] in
      let chroma = (0..<64).map { pairs[(block * 64 + $0) % (size.width / 2)] }
      return (0..<256).map { y[(block * 256 + $0) % size.width] } + chroma.map(\.u) + chroma.map(\.v)
    }
  }

  /// 16 pixels in 8 rows: the left half of luma, the right one, then 8 pixels of chroma in 4 rows.
  private func squares() -> [UInt8] {
    let (y, pairs, size) = (luma, pairs, bars.size)
    let row = stride(from: 0, to: size.width, by: 16).flatMap { left -> [UInt8] in
      let halves = [y[left..<left + 8], y[left + 8..<left + 16]].flatMap { half in
        (0..<8).flatMap { _ in half }
      }
      let chroma = pairs[left / 2..<left / 2 + 8]
      let (u, v) = (chroma.map(\.u), chroma.map(\.v))
      return halves + (0..<4).flatMap { _ in u } + (0..<4).flatMap { _ in v }
    }
    return (0..<size.height / 8).flatMap { _ in row }
  }

  private func halvesOfRow(_ y: Int) -> [UInt8] {
    func sample(_ x: Int) -> UInt8 { UInt8(bars.color(x)[y % 2 + x % 2]) }
    return [0, 1].flatMap { first in stride(from: first, to: bars.size.width, by: 2).map(sample) }
  }
}
