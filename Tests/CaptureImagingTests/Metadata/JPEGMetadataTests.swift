import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

struct JPEGMetadataTests {
  let pool = PayloadPool()

  private func replaced(_ jpeg: [UInt8], with segments: [UInt8]) -> [UInt8]? {
    jpeg.withUnsafeBytes { JPEGMetadata.replacing(metadataOf: $0, with: segments, pool)?.bytes }
  }

  private func segment(_ marker: UInt8, _ content: String) -> [UInt8] {
    [0xFF, marker, 0, UInt8(content.utf8.count + 2)] + content.utf8
  }

  @Test func itsOwnIsReplacedAndTheRestStays() {
    let jfif = segment(0xE0, "JFIF\0")
    let thermal = segment(0xE1, "FLIR\0heat")
    let rest =
      segment(0xDB, "tables") + segment(0xFE, "comment") + [0xFF, 0xDA, 0, 2, 1, 2, 0xFF, 0xE1, 0, 9]
    let own = segment(0xE1, "Exif\0\0old")
    let xmp = segment(0xE1, "http://ns.adobe.com/xap/1.0/\0old")
    let jpeg = [0xFF, 0xD8] + jfif + own + thermal + xmp + rest
    #expect(replaced(jpeg, with: [7, 8]) == [0xFF, 0xD8] + jfif + [7, 8] + thermal + rest)
    #expect(replaced([0xFF, 0xD8] + own + rest, with: [7]) == [0xFF, 0xD8, 7] + rest)
  }

  @Test func whatIsBrokenStaysBehindIt() {
    #expect(
      replaced([0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 1], with: [7]) == [
        0xFF, 0xD8, 7, 0xFF, 0xE1, 0xFF, 0xFF, 1,
      ])
    #expect(replaced([0xFF, 0xD8, 1, 2], with: [7]) == [0xFF, 0xD8, 7, 1, 2])
    #expect(replaced([1, 2, 3, 4], with: [7]) == nil)
  }

  /// EXIF's components of a picture are those of its frame header.
  @Test(arguments: [(1, [1, 0, 0, 0]), (3, [1, 2, 3, 0])] as [(UInt8, [UInt8])])
  func theComponentsAreThoseOfThePicture(_ count: UInt8, _ expected: [UInt8]) throws {
    let parts = (0..<count).flatMap { [$0, 0x11, 0] as [UInt8] }
    let header: [UInt8] = [0xFF, 0xC0, 0, 8 + 3 * count, 8, 0, 8, 0, 8, count] + parts
    let jpeg: [UInt8] = [0xFF, 0xD8] + header + [0xFF, 0xDA, 0, 2]
    let written = try #require(
      JPEGMetadata.writing(
        .sample, of: .sample(), software: "test 1", into: Payload(copying: jpeg), pool: pool)?.bytes)
    // The tag ComponentsConfiguration, of type 7, with its four bytes in place.
    #expect(written.contains([0x91, 0x01, 0, 7, 0, 0, 0, 4] + expected))
  }

  /// A witness outside this package decodes both.
  @Test func neitherPixelsNorScanChange() throws {
    let size = FrameSize(width: 64, height: 48)
    let samples = (0..<size.width * size.height * 2).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let frame = Frame(
      payload: Payload(copying: samples),
      format: StreamFormat(
        pixelFormat: .yuyv, size: size, interval: nil,
        planes: [PlaneLayout(stride: size.width * 2, bytes: samples.count)]), sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .startOfExposure))
    let plain = try JPEGEncoder().encode(frame, quality: 80, into: pool)
    let written = try #require(
      JPEGMetadata.writing(.sample, of: .sample(), software: "test 1", into: plain, pool: pool))
    #expect(try DecodedPicture(written).samples == DecodedPicture(plain).samples)
    let scan = try #require(plain.bytes.firstRange(of: [0xFF, 0xDA])?.lowerBound)
    #expect(written.bytes.suffix(plain.count - scan) == plain.bytes[scan...])
    #expect(written.count > plain.count)
    // Written once more, nothing has become more.
    let again = try #require(
      JPEGMetadata.writing(.sample, of: .sample(), software: "test 1", into: written, pool: pool))
    #expect(again.bytes == written.bytes)
  }
}
