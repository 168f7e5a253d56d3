import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureImaging

/// Damage that no marker shows.
struct JPEGDamageTests {
  static let size = FrameSize(width: 320, height: 240)
  let good: [UInt8]
  /// Where the coefficients begin.
  let scan: Int

  init() throws {
    // Noise, as a camera's picture has it.
    var state: UInt32 = 1
    let pixels = (0..<Self.size.area).map { _ -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(64 + state >> 25)
    }
    let frame = Frame(
      payload: Payload(copying: pixels),
      format: StreamFormat(
        pixelFormat: .grey, size: Self.size, interval: nil,
        planes: [PlaneLayout(stride: Self.size.width, bytes: pixels.count)],
        color: ColorDescription(isFullRange: true)), sequence: 0,
      timestamp: FrameTimestamp(nanoseconds: 0, clock: .monotonic, source: .endOfFrame))
    let bytes = try JPEGEncoder().encode(frame, into: PayloadPool()).bytes
    good = bytes
    scan = try #require(
      bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
  }

  private func damage(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes {
      if case .damaged(let reason) = JPEGCheck($0, size: Self.size) {
        Issue.record("its markers show it: \(reason)")
      }
      return JPEGCheck.damage(inside: $0, size: Self.size)
    }
  }

  /// What a decoder that makes all of the picture says.
  private func wholeDamage(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBytes { bytes in
      do throws(CaptureError) {
        _ = try JPEGDecoder().decode(bytes, size: Self.size)
        return nil
      } catch {
        return error.message
      }
    }
  }

  @Test func aGoodPictureIsSound() {
    #expect(damage(good) == nil)
    #expect(damage(good + [UInt8](repeating: 0, count: 100)) == nil)
  }

  @Test func zerosInItsMiddleAreFound() {
    let length = good.count - scan
    for part in 1...20 {
      var bytes = good
      let start = scan + length * part / 24
      for index in start..<start + length / 10 { bytes[index] = 0 }
      #expect(damage(bytes) != nil, "from \(part) parts of 24 on")
    }
  }

  @Test func aMissingPieceIsFound() {
    for part in 1...20 {
      let start = scan + (good.count - scan) * part / 24
      var bytes = good
      bytes.removeSubrange(start..<start + 512)
      #expect(damage(bytes) != nil, "from \(part) parts of 24 on")
    }
  }

  @Test func aFewBytesInFrontOfTheEndAreACamerasWay() {
    func filled(_ count: Int) -> [UInt8] {
      good.dropLast(2) + [UInt8](repeating: 0, count: count) + good.suffix(2)
    }
    #expect(damage(filled(3)) == nil && wholeDamage(filled(3)) == nil)
    #expect(damage(filled(64)) != nil && wholeDamage(filled(64)) != nil)
  }

  @Test func itSeesWhatAWholeDecodeSees() {
    var state: UInt32 = 7
    func random(_ count: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % count
    }
    for _ in 0..<200 {
      var bytes = good
      let start = scan + 16 + random(good.count - scan - 200)
      // No markers, which the quick look finds.
      for index in start..<start + 1 + random(60) { bytes[index] = UInt8(random(255)) }
      for index in scan + 16..<bytes.count - 2 where bytes[index] == 0xFF { bytes[index + 1] = 0 }
      #expect((damage(bytes) == nil) == (wholeDamage(bytes) == nil))
    }
  }
}
