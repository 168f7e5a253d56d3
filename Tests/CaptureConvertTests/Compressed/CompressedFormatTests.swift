import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureConvert

/// Compressed formats of webcams that libv4lconvert reads, each written here: a picture of patches comes back with its colours. The tables of codes are those that
/// libv4lconvert has, so this does not tell whether a camera uses others.
@Suite struct CompressedFormatTests {
  private static let codes = LibraryFormat.rows.compactMap { row -> String? in
    if case .library(let format) = row.layout, format.bitsPerPixel == 0 { row.code } else { nil }
  }

  /// In the middle of a patch each pixel has its colour, give or take what the codes have no steps for.
  @Test(arguments: codes) func patchesKeepTheirColours(code: String) throws {
    // libv4lconvert takes no PJPG frame of less than a kilobyte; a larger one has several chunks.
    let picture = code == "PJPG" ? Patches(size: FrameSize(width: 352, height: 288)) : Patches()
    let bytes = try #require(picture.encoded(code), "nothing here writes \(code)")
    let (size, converter) = (picture.size, FrameConverter())
    let format = StreamFormat(pixelFormat: PixelFormat(code)!, size: size, interval: nil, planes: [])
    let plain = try converter.plain(
      Frame(
        payload: Payload(copying: bytes), format: format, sequence: 0,
        timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame)))
    // They lie in the converter's memory.
    let pixels = withExtendedLifetime(converter) { plain.payload.bytes }
    let isRGB = plain.format.pixelFormat == .rgb3
    try #require(isRGB || plain.format.pixelFormat == .yu12)
    var most = 0.0
    for y in 0..<size.height where (6..<26).contains(y % 32) {
      for x in 0..<size.width where (6..<26).contains(x % 32) {
        let wanted = isRGB ? picture.colour(x, y).map { Double($0) } : picture.yuv(x, y)
        for (component, wanted) in wanted.enumerated() {
          let place =
            isRGB ? 3 * (y * size.width + x) + component : place(inYU12: component, x, y, size)
          most = max(most, abs(Double(pixels[place]) - wanted))
        }
      }
    }
    #expect(most <= 8 && plain.format.isFullRange)
  }

  private func place(inYU12 plane: Int, _ x: Int, _ y: Int, _ size: FrameSize) -> Int {
    plane == 0
      ? y * size.width + x : size.area * (3 + plane) / 4 + y / 2 * (size.width / 2) + x / 2
  }
}
