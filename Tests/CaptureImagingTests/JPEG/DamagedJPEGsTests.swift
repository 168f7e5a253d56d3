import CaptureModel
import CaptureSystem
import Foundation
import Testing

@testable import CaptureImaging

/// JPEGs as a bad cable leaves them: none passes for a photo. `DAMAGED_JPEGS` says of how many (scripts/soak: 10,000).
@Suite struct DamagedJPEGsTests {
  private static let size = FrameSize(width: 640, height: 480)
  private static let count = ProcessInfo.processInfo.environment["DAMAGED_JPEGS"].flatMap { Int($0) } ?? 300

  /// A gradient with a camera's noise.
  private func picture() throws -> [UInt8] {
    var random = Random(state: 1)
    let row = Self.size.width * 2
    let pixels = (0..<row * Self.size.height).map { index -> UInt8 in
      let (x, y) = (index % row, index / row)
      return UInt8(clamping: 16 + x / 16 + y / 6 + random.next(12))
    }
    let frame = Frame(
      payload: Payload(copying: pixels),
      format: StreamFormat(
        pixelFormat: .yuyv, size: Self.size, interval: nil,
        planes: [PlaneLayout(stride: row, bytes: pixels.count)],
        color: ColorDescription(isFullRange: true)), sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    return try JPEGEncoder().encode(frame, quality: 85, into: PayloadPool()).bytes
  }

  private struct Random {
    var state: UInt64
    mutating func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }

  private func passes(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { JPEGCheck.damage(inside: $0, size: Self.size) == nil }
  }

  @Test(arguments: ["lost payloads", "truncation", "zeros"])
  func noneIsTakenForGood(kind: String) throws {
    let good = try picture()
    #expect(passes(good))
    let scan = try #require(good.indices.dropLast().first { good[$0] == 0xFF && good[$0 + 1] == 0xDA }) + 14
    var random = Random(state: 7)
    var missed = 0
    for _ in 0..<Self.count / 3 {
      var bytes = good
      switch kind {
      case "lost payloads":
        let length = [500, 1012, 3060][random.next(3)]
        let start = scan + random.next(good.count - scan - length - 2)
        bytes.removeSubrange(start..<start + length)
      case "truncation":
        bytes.removeSubrange((scan + random.next(good.count - scan - 20))...)
        if random.next(3) > 0 { bytes += [0xFF, 0xD9] }
      default:
        let length = [64, 512, 1024, 4096][random.next(4)]
        let start = scan + random.next(good.count - scan - length - 2)
        for index in start..<start + length { bytes[index] = 0 }
      }
      if passes(bytes) { missed += 1 }
    }
    #expect(missed == 0, "\(missed) of \(Self.count / 3)")
  }

  /// A decoder resumes behind many a wrong bit, and what it makes of it may be a picture. The share is printed, and docs/photos.md has it.
  @Test func ofFlippedBitsAShareIsFound() throws {
    let good = try picture()
    let scan = try #require(good.indices.dropLast().first { good[$0] == 0xFF && good[$0 + 1] == 0xDA }) + 14
    var random = Random(state: 11)
    var found = 0
    for _ in 0..<Self.count {
      var bytes = good
      bytes[scan + random.next(good.count - scan - 2)] ^= 1 << random.next(8)
      if !passes(bytes) { found += 1 }
    }
    print("flipped bits: \(found) of \(Self.count) found")
    #expect(found * 20 >= Self.count)
  }

  /// Tables for one picture may make flat blocks of zeros alone.
  @Test func zerosAreRightWhereTheyEndBlocks() {
    let quantities = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
    func jpeg(first: UInt8) -> [UInt8] {
      let table: [UInt8] = [0xFF, 0xC4, 0, 21, 0x10, 0, 2] + [UInt8](repeating: 0, count: 14) + [first, 3]
      let header: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
      return [0xFF, 0xD8] + quantities + table + header + [UInt8](repeating: 0, count: 40) + [1, 0xFF, 0xD9]
    }
    #expect(jpeg(first: 0).withUnsafeBytes { JPEGCheck.zeros(inside: $0) } == nil)
    #expect(jpeg(first: 1).withUnsafeBytes { JPEGCheck.zeros(inside: $0) } != nil)
  }
}
