import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct JPEGCheckTests {
  static let size = FrameSize(width: 64, height: 48)
  let good: [UInt8]

  init() throws {
    good = try JPEGEncoder().encode(ColorBars(size: Self.size).frame("YUYV"), into: PayloadPool()).bytes
  }

  private func check(_ bytes: [UInt8], size: FrameSize = size) -> JPEGCheck {
    bytes.withUnsafeBytes { JPEGCheck($0, size: size) }
  }

  /// Where the segment of that marker begins.
  private func offset(of marker: UInt8) throws -> Int {
    try #require(good.indices.dropLast().first { good[$0] == 0xFF && good[$0 + 1] == marker })
  }

  @Test func wholePicturePasses() {
    #expect(check(good) == .whole(count: good.count))
  }

  @Test func paddingOfZerosIsNotCounted() {
    #expect(check(good + [UInt8](repeating: 0, count: 4096)) == .whole(count: good.count))
  }

  @Test func everyTruncationIsFound() {
    for count in 0..<good.count {
      guard case .damaged = check(Array(good.prefix(count))) else {
        Issue.record("\(count) of \(good.count) bytes passed")
        continue
      }
    }
  }

  @Test func otherSizeIsRefused() {
    #expect(
      check(good, size: FrameSize(width: 640, height: 480)) == .damaged(reason: "is 64x48, not 640x480"))
  }

  @Test func progressiveIsRefused() throws {
    var bytes = good
    bytes[try offset(of: 0xC0) + 1] = 0xC2
    #expect(check(bytes) == .damaged(reason: "not a baseline JPEG"))
  }

  @Test func twelveBitsAreRefused() throws {
    var bytes = good
    bytes[try offset(of: 0xC0) + 4] = 12
    #expect(check(bytes) == .damaged(reason: "12 bits a sample"))
  }

  @Test func zeroHeightIsRefused() throws {
    var bytes = good
    let start = try offset(of: 0xC0)
    (bytes[start + 5], bytes[start + 6]) = (0, 0)
    #expect(check(bytes) == .damaged(reason: "is 64x0, not 64x48"))
  }

  /// Webcams leave the standard tables out; they are then as good as the whole picture.
  @Test func pictureWithoutHuffmanTablesIsDecoded() throws {
    var bytes = good
    while let start = bytes.indices.dropLast().first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC4 }) {
      bytes.removeSubrange(start..<start + 2 + (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])))
    }
    #expect(bytes.count < good.count - 100)
    let encoder = JPEGEncoder()
    let again = try encoder.encode(jpegFrame(Payload(copying: bytes), Self.size), into: PayloadPool())
    #expect(try DecodedPicture(again).size == Self.size)
  }
}
