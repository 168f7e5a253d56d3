import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct JPEGRingTests {
  static let size = FrameSize(width: 160, height: 120)
  let ring = JPEGRing(scene: Scene(size: Self.size, caption: "TEST"), tone: Tone())

  private func whole(_ payload: Payload) -> Bool {
    payload.withContiguousBytes { JPEGCheck($0, size: Self.size) } == .whole(count: payload.count)
  }

  @Test func everyPictureIsWholeAndEncodedOnce() throws {
    let first = try (0..<UInt64(JPEGRing.count)).map { try ring.picture($0, tone: Tone(), isLate: false) }
    #expect(first.allSatisfy(whole))
    #expect(Set(first.map(\.bytes)).count == JPEGRing.count)
    for (number, payload) in first.enumerated() {
      let again = try ring.picture(UInt64(number + JPEGRing.count), tone: Tone(), isLate: false)
      #expect(again === payload)
    }
  }

  @Test func latePictureIsNotEncoded() throws {
    let first = try ring.picture(0, tone: Tone(), isLate: true)
    #expect(try ring.picture(1, tone: Tone(), isLate: true) === first)
    #expect(try ring.picture(1, tone: Tone(), isLate: false) !== first)
  }

  @Test func controlsEncodeAnew() throws {
    let dark = try ring.picture(0, tone: Tone(brightness: -100), isLate: false)
    #expect(try ring.picture(0, tone: Tone(), isLate: false).bytes != dark.bytes)
  }
}
