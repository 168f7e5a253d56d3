import CaptureImaging
import CaptureModel
import CaptureSystem
import Testing

@testable import CaptureSynthetic

struct JPEGRingTests {
  static let size = FrameSize(width: 160, height: 120)
  let ring = JPEGRing(size: Self.size, rate: 60, tone: Tone()) { Scene(size: Self.size, caption: "TEST") }

  private func whole(_ payload: Payload) -> Bool {
    payload.withContiguousBytes { JPEGCheck($0, size: Self.size) } == .whole(count: payload.count)
  }

  /// Asks for frames until every picture is encoded; returns what the first ones showed.
  private func complete() async throws -> [Payload] {
    var shown: [Payload] = []
    for sequence in 0..<5_000 as Range<UInt64> where !ring.isComplete {
      shown.append(try ring.picture(sequence, tone: Tone()))
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(ring.isComplete)
    return shown
  }

  @Test func everyPictureIsWholeAndEncodedOnce() async throws {
    let shown = try await complete()
    #expect(shown.allSatisfy(whole))
    // At 60 a second each of the 30 pictures is shown twice.
    #expect(ring.count == 30)
    let round = try (0..<60 as Range<UInt64>).map { try ring.picture($0, tone: Tone()) }
    #expect(Set(round.map(\.bytes)).count == ring.count)
    for (number, payload) in round.enumerated() {
      #expect(try ring.picture(UInt64(number + 60), tone: Tone()) === payload)
      #expect(payload === round[number & ~1])
    }
  }

  @Test func aPictureThatIsNotThereYetIsNotWaitedFor() throws {
    let first = try ring.picture(0, tone: Tone())
    #expect(try ring.picture(31, tone: Tone()).count > 0)
    #expect(try ring.picture(0, tone: Tone()) === first)
  }

  @Test func controlsEncodeAnew() async throws {
    let neutral = try await complete()
    let dark = try ring.picture(0, tone: Tone(brightness: -100))
    #expect(whole(dark) && dark.bytes != neutral[0].bytes)
    #expect(try ring.picture(0, tone: Tone()).bytes == neutral[0].bytes)
  }

  @Test func largePicturesAreFew() {
    let size = FrameSize(width: 3840, height: 2160)
    let ring = JPEGRing(size: size, rate: 30, tone: Tone()) { Scene(size: size, caption: "") }
    #expect(ring.count == 8)
  }
}
