import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureConvert

/// Compressed formats of webcams that libv4lconvert reads, written here by the description of their codes: a picture of patches comes back with its colours.
@Suite struct CompressedFormatTests {
  private let size = FrameSize(width: 352, height: 288)
  private let colours: [[Int]] = [[200, 30, 90], [40, 180, 60], [20, 70, 210], [240, 240, 10]]

  private func colour(_ x: Int, _ y: Int) -> [Int] { colours[(x / 32 + y / 32) % 4] }

  /// A code, and the sample that it makes of what is known before it.
  private struct Code {
    var bits: String
    var sample: Int

    init(_ bits: String, _ sample: Int) { (self.bits, self.sample) = (bits, min(max(sample, 0), 255)) }

    static func bits(_ value: Int, _ count: Int) -> String {
      (0..<count).map { value >> (count - 1 - $0) & 1 == 0 ? "0" : "1" }.joined()
    }
  }

  /// The code whose sample comes nearest; of several the shortest.
  private func nearest(_ wanted: Int, _ codes: [Code]) -> Code {
    codes.min { (abs($0.sample - wanted), $0.bits.count) < (abs($1.sample - wanted), $1.bits.count) }!
  }

  private func bytes(_ bits: String) -> [UInt8] {
    var (bytes, byte, count): ([UInt8], UInt8, Int) = ([], 0, 0)
    for bit in bits.utf8 {
      byte = byte << 1 | (bit == UInt8(ascii: "1") ? 1 : 0)
      count += 1
      if count % 8 == 0 { bytes.append(byte) }
    }
    return count % 8 == 0 ? bytes : bytes + [byte << UInt8(8 - count % 8)]
  }

  /// In the middle of a patch each pixel has its colour, give or take what the codes have no steps for.
  private func expectColours(_ code: String, _ bytes: [UInt8]) throws {
    let format = StreamFormat(pixelFormat: PixelFormat(code)!, size: size, interval: nil, planes: [])
    let converter = FrameConverter()
    let plain = try converter.plain(
      Frame(
        payload: Payload(copying: bytes), format: format, sequence: 0,
        timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame)))
    #expect(plain.format.pixelFormat == .rgb3)
    // They lie in the converter's memory.
    let pixels = withExtendedLifetime(converter) { plain.payload.bytes }
    var most = 0
    for y in 0..<size.height where (6..<26).contains(y % 32) {
      for x in 0..<size.width where (6..<26).contains(x % 32) {
        for (place, wanted) in colour(x, y).enumerated() {
          most = max(most, abs(Int(pixels[3 * (y * size.width + x) + place]) - wanted))
        }
      }
    }
    #expect(most <= 8)
  }

  /// SN9C10x: blue and green, then green and red. A sample is the mean of the same colour's to its left and above it and a difference, or has a value of its
  /// own, in steps of 16; the first two of the first two rows are written as they are.
  @Test func differencesOfS910BecomeColours() throws {
    let differences = [
      ("0", 0), ("100", 4), ("101", -4), ("1101", 11), ("1111", -11), ("11001", 20), ("110000", -20),
    ]
    let values = (0..<16).map { Code("1110" + Code.bits($0, 4), 16 * $0) }
    var samples = [[Int]](repeating: [Int](repeating: 0, count: size.width), count: size.height)
    var bits = ""
    for y in 0..<size.height {
      for x in 0..<size.width {
        let wanted = colour(x, y)[2 - y % 2 - x % 2]
        let code: Code
        if x < 2, y < 2 {
          code = Code(Code.bits(wanted, 8), wanted)
        } else {
          let (left, above) = (x < 2 ? nil : samples[y][x - 2], y < 2 ? nil : samples[y - 2][x])
          let known = ((left ?? above!) + (above ?? left!)) / 2
          code = nearest(wanted, differences.map { Code($0.0, known + $0.1) } + values)
        }
        samples[y][x] = code.sample
        bits += code.bits
      }
    }
    try expectColours("S910", bytes(bits))
  }

  /// PAC207: the same colours. A row begins with the number of its steps, 0x1EE1 for steps of 5; a sample is the same colour's to its left and so many steps, or
  /// its own upper 6 bits. The first two are written as they are, and a row has an even number of bytes.
  @Test func stepsOfP207BecomeColours() throws {
    let steps = [
      ("00", 0), ("01", -1), ("10", 1), ("1100", -2), ("1101", 2), ("11100", -3), ("11101", 3),
      ("111100", -4), ("111101", 4),
    ]
    let values = (0..<64).map { Code("11111" + Code.bits($0, 6), 4 * $0) }
    var frame: [UInt8] = []
    for y in 0..<size.height {
      var (row, bits): ([Int], String) = ([], "")
      for x in 0..<size.width {
        let wanted = colour(x, y)[2 - y % 2 - x % 2]
        let code =
          x < 2
          ? Code(Code.bits(wanted, 8), wanted)
          : nearest(wanted, steps.map { Code($0.0, row[x - 2] + 5 * $0.1) } + values)
        row.append(code.sample)
        bits += code.bits
      }
      let packed = bytes(bits)
      frame += [0x1E, 0xE1] + packed + (packed.count % 2 == 0 ? [] : [0])
    }
    try expectColours("P207", frame)
  }
}
