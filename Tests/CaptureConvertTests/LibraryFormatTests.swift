import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureConvert

/// Formats that libv4lconvert reads. Those that are compressed are made by no driver here: that their damaged frames do no harm is tested, and
/// Tests/Fuzz goes on with that.
@Suite struct LibraryFormatTests {
  private let converter = FrameConverter()
  private let size = FrameSize(width: 352, height: 288)

  private func frame(
    _ code: String, _ bytes: [UInt8], stride: Int? = nil, color: ColorDescription = ColorDescription()
  ) -> Frame {
    let format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: size, interval: nil,
      planes: stride.map { [PlaneLayout(stride: $0, bytes: bytes.count)] } ?? [], color: color)
    return Frame(
      payload: Payload(copying: bytes), format: format, sequence: 7,
      timestamp: FrameTimestamp(nanoseconds: 5, clock: .monotonic, source: .endOfFrame))
  }

  /// A picture of Y'CbCr 4:2:0 with something everywhere, its planes one after the other.
  private var yuv: (y: [[UInt8]], u: [[UInt8]], v: [[UInt8]]) {
    func plane(_ width: Int, _ height: Int, _ seed: Int) -> [[UInt8]] {
      (0..<height).map { y in (0..<width).map { x in UInt8((x * 3 + y * 5 + seed) % 220 + 16) } }
    }
    let (width, height) = (size.width, size.height)
    return (plane(width, height, 0), plane(width / 2, height / 2, 70), plane(width / 2, height / 2, 140))
  }

  private var planar: [UInt8] {
    let yuv = yuv
    return Array([yuv.y, yuv.u, yuv.v].joined().joined())
  }

  /// Two lines of luma, then one of chroma in pairs.
  private func m420(padding: Int = 0) -> [UInt8] {
    let yuv = yuv
    let pad = [UInt8](repeating: 77, count: padding)
    var bytes: [UInt8] = []
    for row in 0..<size.height / 2 {
      bytes += yuv.y[2 * row]
      bytes += pad
      bytes += yuv.y[2 * row + 1]
      bytes += pad
      for (u, v) in zip(yuv.u[row], yuv.v[row]) { bytes += [u, v] }
      bytes += pad
    }
    return bytes
  }

  @Test func linesOfM420BecomePlanes() throws {
    let plain = try converter.plain(frame("M420", m420()))
    #expect(plain.format.pixelFormat == .yu12)
    #expect(plain.payload.bytes == planar)
    #expect(plain.sequence == 7 && plain.timestamp.nanoseconds == 5 && plain.format.size == size)
  }

  @Test func paddedRowsArePackedFirst() throws {
    let padded = frame("M420", m420(padding: 32), stride: size.width + 32)
    #expect(try converter.plain(padded).payload.bytes == planar)
  }

  @Test func planesInPiecesArePackedFirst() throws {
    let whole = frame("M420", m420())
    let bytes = whole.payload.bytes
    let pieces = [Payload(copying: bytes[..<10_000]), Payload(copying: bytes[10_000...])]
    let payload = Payload(lending: pieces.flatMap { $0.segments }) { _ = pieces }
    let split = Frame(payload: payload, format: whole.format, sequence: 0, timestamp: whole.timestamp)
    #expect(try converter.plain(split).payload.bytes == planar)
  }

  /// Lines of the S50x chips: two of luma and one of each chroma, in the order that the number says; samples are signed.
  @Test(arguments: [("S501", "YUYV"), ("S505", "YYUV"), ("S508", "YUVY")])
  func linesOfSPCA50xBecomePlanes(code: String, order: String) throws {
    let yuv = yuv
    var bytes: [UInt8] = []
    for row in 0..<size.height / 2 {
      var luma = [yuv.y[2 * row], yuv.y[2 * row + 1]].makeIterator()
      for component in order {
        let line: [UInt8] = component == "Y" ? luma.next()! : component == "U" ? yuv.u[row] : yuv.v[row]
        for sample in line { bytes.append(sample ^ 0x80) }
      }
    }
    #expect(try converter.plain(frame(code, bytes)).payload.bytes == planar)
  }

  @Test func blocksOfHM12BecomePlanes() throws {
    let yuv = yuv
    // 720 bytes a row of blocks, whatever the width.
    func blocks(_ rows: [[UInt8]]) -> [UInt8] {
      var bytes: [UInt8] = []
      for top in stride(from: 0, to: rows.count, by: 16) {
        for left in stride(from: 0, to: 720, by: 16) {
          for y in top..<top + 16 {
            for x in left..<left + 16 {
              bytes.append(y < rows.count && x < rows[y].count ? rows[y][x] : 0)
            }
          }
        }
      }
      return bytes
    }
    var chroma: [[UInt8]] = []
    for (u, v) in zip(yuv.u, yuv.v) {
      var row: [UInt8] = []
      for (a, b) in zip(u, v) { row += [a, b] }
      chroma.append(row)
    }
    let plain = try converter.plain(frame("HM12", blocks(yuv.y) + blocks(chroma), stride: 720))
    #expect(plain.payload.bytes == planar)
  }

  /// A line of luma, then one with the second line's luma and the chroma of both.
  @Test func linesOfCITVBecomePlanes() throws {
    let yuv = yuv
    var bytes: [UInt8] = []
    for row in 0..<size.height / 2 {
      bytes += yuv.y[2 * row]
      for x in 0..<size.width / 2 {
        bytes += [yuv.v[row][x], yuv.y[2 * row + 1][2 * x], yuv.u[row][x], yuv.y[2 * row + 1][2 * x + 1]]
      }
    }
    #expect(try converter.plain(frame("CITV", bytes)).payload.bytes == planar)
  }

  /// 256 samples of luma, 64 of either chroma, and the next ones.
  @Test func blocksOfKONIBecomePlanes() throws {
    let planes = [yuv.y, yuv.u, yuv.v].map { Array($0.joined()) }
    var bytes: [UInt8] = []
    for block in 0..<size.area / 256 {
      for (plane, count) in zip(planes, [256, 64, 64]) { bytes += plane[block * count..<(block + 1) * count] }
    }
    #expect(try converter.plain(frame("KONI", bytes)).payload.bytes == planar)
  }

  /// 16 pixels in 8 rows: two squares of luma side by side, then 8 by 4 samples of either chroma.
  @Test func squaresOfS920BecomePlanes() throws {
    let yuv = yuv
    var bytes: [UInt8] = []
    for top in stride(from: 0, to: size.height, by: 8) {
      for left in stride(from: 0, to: size.width, by: 16) {
        for half in [left, left + 8] {
          for y in top..<top + 8 { bytes += yuv.y[y][half..<half + 8] }
        }
        for plane in [yuv.u, yuv.v] {
          for y in top / 2..<top / 2 + 4 { bytes += plane[y][left / 2..<left / 2 + 8] }
        }
      }
    }
    #expect(try converter.plain(frame("S920", bytes)).payload.bytes == planar)
  }

  /// Samples of 4 or 6 bits are the upper ones of a byte (the kernel's bw-qcam, which had them).
  @Test(arguments: [("Y04", UInt8(0xF0)), ("Y06", 0xFC)])
  func greyOfFewerBitsIsGrey(code: String, bits: UInt8) throws {
    let bytes = (0..<size.area).map { UInt8(truncatingIfNeeded: $0 / 7) & bits }
    let plain = try converter.plain(frame(code, bytes))
    #expect(plain.format.pixelFormat == .grey && plain.payload.bytes == bytes)
  }

  /// Red, green, green and blue; of each row first the columns that are even. In the middle of a patch of one colour each pixel has it.
  @Test func halvesOfS680sRowsBecomeColours() throws {
    let colours: [[UInt8]] = [[200, 30, 90], [40, 180, 60], [20, 70, 210], [240, 240, 10]]
    func colour(_ x: Int, _ y: Int) -> [UInt8] { colours[(x / 32 + y / 32) % 4] }
    let bytes = (0..<size.height).flatMap { y in
      [0, 1].flatMap { first in
        stride(from: first, to: size.width, by: 2).map { x in colour(x, y)[y % 2 + x % 2] }
      }
    }
    let plain = try converter.plain(frame("S680", bytes))
    #expect(plain.format.pixelFormat == .rgb3)
    let pixels = plain.payload.bytes
    for y in 0..<size.height where (4..<28).contains(y % 32) {
      for x in 0..<size.width where (4..<28).contains(x % 32) {
        let start = 3 * (y * size.width + x)
        if Array(pixels[start..<start + 3]) != colour(x, y) {
          Issue.record("\(x),\(y): \(pixels[start..<start + 3]), not \(colour(x, y))")
          return
        }
      }
    }
  }

  /// The library gives pixels behind a colour filter the full range, and changes nothing else of what a driver says of their colours.
  @Test(arguments: [("S680", true), ("M420", false)])
  func coloursAreDescribedAsTheDriverDoes(code: String, isWidened: Bool) throws {
    var color = ColorDescription(space: .rec2020, transfer: .smpte2084, matrix: .rec2020, isFullRange: false)
    let bytes = [UInt8](repeating: 128, count: size.area * 3 / 2)
    let plain = try converter.plain(frame(code, bytes, color: color))
    color.isFullRange = isWidened
    #expect(plain.format.color == color)
  }

  @Test func tenBitsInARowBecomeGrey() throws {
    let samples = (0..<size.area).map { UInt32($0 % 1024) }
    var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    for sample in samples {
      bits = bits << 10 | sample
      count += 10
      while count >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count - 8)))
        count -= 8
      }
    }
    let plain = try converter.plain(frame("Y10B", bytes, stride: size.width * 10 / 8))
    #expect(plain.format.pixelFormat == .grey)
    #expect(plain.payload.bytes == samples.map { UInt8($0 >> 2) })
  }

  private static let library = FrameConverter.pixelFormats.filter {
    FrameConverter.conversion(of: $0) == .libv4lconvert
  }.map(\.description)

  @Test(arguments: library) func damageIsAnErrorOrAPictureOfTheRightSize(code: String) throws {
    var source = SeededNumbers(seed: 1)
    for length in [0, 1, 7, 64, 1000, 20_000, size.area, size.area * 2] {
      let words = (0..<(length + 7) / 8).map { _ in source.next() }
      let bytes = words.withUnsafeBytes { [UInt8]($0.prefix(length)) }
      do throws(CaptureError) {
        let plain = try converter.plain(frame(code, bytes))
        let halves: [PixelFormat: Int] = [.rgb3: 6, .yu12: 3, .grey: 2]
        #expect(plain.payload.count == size.area * halves[plain.format.pixelFormat]! / 2)
      } catch {
        #expect(error.code == .dataLoss, "\(error)")
      }
    }
  }

  @Test(arguments: library) func oddSizesAreRefused(code: String) {
    let format = StreamFormat(
      pixelFormat: PixelFormat(code)!, size: FrameSize(width: 33, height: 17), interval: nil, planes: [])
    let odd = Frame(
      payload: Payload(copying: [UInt8](repeating: 0, count: 10_000)), format: format, sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    let error = #expect(throws: CaptureError.self) { try converter.plain(odd) }
    #expect(error?.code == .unimplemented)
  }

  /// Its controls are emulated in shared memory, where it has any: it shall have none.
  @Test func noSharedMemoryIsMade() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").sorted()
    _ = try FrameConverter().plain(frame("M420", [UInt8](repeating: 128, count: size.area * 3 / 2)))
    #expect(try FileManager.default.contentsOfDirectory(atPath: "/dev/shm").sorted() == before)
  }

  /// Tests/Fuzz/convert.c is C, and has a list of its own: code, bits of a pixel, and whether it becomes RGB.
  @Test func damagedFramesOfEachFormatAreFuzzed() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let source = try String(contentsOf: tests.appending(path: "Fuzz/convert.c"), encoding: .utf8)
    let fuzzed = source.matches(of: #/\{"(....)", (\d+), ([01])\}/#).map { "\($0.1) \($0.2) \($0.3)" }
    let read = LibraryFormat.rows.compactMap { row -> String? in
      guard case .library(let format) = row.layout else { return nil }
      let code = row.code.padding(toLength: 4, withPad: " ", startingAt: 0)
      return "\(code) \(format.bitsPerPixel) \(format.plain == .rgb3 ? 1 : 0)"
    }
    #expect(fuzzed.sorted() == read.sorted())
  }
}
