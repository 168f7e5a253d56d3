import CaptureModel
import CaptureSystem

/// The bars in formats of Y'CbCr 4:2:0 that libv4lconvert reads.
struct LibraryBars {
  /// Lines of luma with those of chroma in pairs between them; lines of each component, signed.
  static let codes = ["M420", "S501", "S505", "S508"]

  var bars: ColorBars

  func frame(_ code: String) -> Frame {
    let bytes = (0..<bars.size.height / 2).flatMap { _ in twoLines(code) }
    let color = ColorDescription(matrix: bars.matrix, isFullRange: bars.isFullRange)
    return Frame(
      payload: Payload(copying: bytes),
      format: StreamFormat(
        pixelFormat: PixelFormat(code)!, size: bars.size, interval: nil, planes: [], color: color),
      sequence: 0, timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
  }

  /// Two lines of the picture: they are all alike.
  private func twoLines(_ code: String) -> [UInt8] {
    let y = (0..<bars.size.width).map { bars.yuv($0).y }
    let chroma = (0..<bars.size.width / 2).map { bars.yuv(2 * $0) }
    let (u, v) = (chroma.map(\.u), chroma.map(\.v))
    let signed: ([UInt8]) -> [UInt8] = { $0.map { $0 ^ 0x80 } }
    switch code {
    case "M420": return y + y + chroma.flatMap { [$0.u, $0.v] }
    case "S501": return signed(y + u + y + v)
    case "S505": return signed(y + y + u + v)
    default: return signed(y + u + v + y)
    }
  }
}
