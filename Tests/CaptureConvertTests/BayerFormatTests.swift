import CaptureConvert
import CaptureModel
import Testing

/// How the samples of Bayer formats are read.
@Suite struct BayerFormatTests {
  @Test(
    arguments: [
      ("RGGB", 8, [0, 1, 1, 2]), ("BA81", 8, [2, 1, 1, 0]), ("RG10", 10, [0, 1, 1, 2]),
      ("BA12", 12, [1, 0, 2, 1]),
      ("GB14", 14, [1, 2, 0, 1]), ("BYR2", 16, [2, 1, 1, 0]), ("pgAA", 10, [1, 0, 2, 1]),
      ("pRCC", 12, [0, 1, 1, 2]),
    ] as [(String, Int, [UInt8])])
  func formatsSayTheirBitsAndColours(code: String, bits: Int, pattern: [UInt8]) throws {
    let format = try #require(PixelFormat(code).flatMap { BayerFormat($0) })
    #expect(format.bits == bits && format.pattern == pattern)
  }

  @Test(arguments: ["YUYV", "GREY", "Y10", "MJPG", "RGB3"])
  func otherFormatsAreNone(code: String) throws {
    #expect(PixelFormat(code).flatMap { BayerFormat($0) } == nil)
  }

  private func unpacked(_ code: String, _ row: [UInt8], _ width: Int) throws -> [Int] {
    let format = try #require(PixelFormat(code).flatMap { BayerFormat($0) })
    #expect(format.rowBytes(width) == row.count)
    var target = [UInt8](repeating: 0, count: width * 2)
    format.unpack(row, width: width, into: &target)
    return stride(from: 0, to: width * 2, by: 2).map { Int(target[$0]) << 8 | Int(target[$0 + 1]) }
  }

  @Test func wordsKeepTheirValues() throws {
    #expect(try unpacked("RG10", [0x34, 0x02, 0xFF, 0x03], 2) == [0x234, 0x3FF])
  }

  @Test func packedSamplesGetTheirLowBitsBack() throws {
    // MIPI CSI-2: the upper bits of each sample, then the lower bits of all, the first sample's lowest.
    #expect(try unpacked("pRAA", [0xFF, 0x80, 0x01, 0x00, 0b1101_1001], 4) == [0x3FD, 0x202, 0x5, 0x3])
    #expect(try unpacked("pRCC", [0xFF, 0x10, 0xA5], 2) == [0xFF5, 0x10A])
    #expect(try unpacked("pREE", [1, 2, 3, 4, 0x3F, 0x00, 0xFC], 4) == [0x7F, 0x80, 0xC0, 0x13F])
  }

  @Test func aRowMayEndInTheMiddleOfAGroup() throws {
    #expect(try unpacked("pRAA", [1, 2, 0, 0, 0b0000_0110], 2) == [6, 9])
  }
}
