import Capture3A
import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct PictureMatchTests {
  private static let before = SettlingReading(brightness: 0.4, red: 0.3, blue: 0.3)
  private static let interval: UInt64 = 33_000_000

  /// How many pictures pass until one is as before, and how that is known.
  private func match(
    _ pictures: [Settling.Observation.Picture], before: SettlingReading? = before,
    atMost patience: Duration = .seconds(2)
  ) -> (Int, Provenance)? {
    var match = PictureMatch(before, atMost: patience)
    for (index, picture) in pictures.enumerated() {
      if let provenance = match.observe(picture, at: UInt64(index) * Self.interval) {
        return (index + 1, provenance)
      }
    }
    return nil
  }

  private func bright(_ brightness: Double, red: Double = 0.3) -> Settling.Observation.Picture {
    .reading(
      SettlingReading(brightness: brightness, red: red, blue: 0.3, isBlank: brightness < 0.01))
  }

  @Test func theFirstThatIsAsBeforeIsTaken() {
    #expect(match([bright(0.42)])! == (1, .observed))
    #expect(match([bright(0), bright(0.1), bright(0.25), bright(0.37), bright(0.4)])! == (4, .observed))
  }

  @Test func anotherColorIsNotAsBefore() {
    #expect(
      match([bright(0.4, red: 0.4), bright(0.4, red: 0.35), bright(0.4, red: 0.31)])! == (3, .observed))
  }

  @Test func aSceneThatHasChangedIsKnownByFiveThatAreAlike() {
    #expect(match((0..<9).map { _ in bright(0.8) })! == (5, .observed))
    // A black picture is alike too, and no picture.
    #expect(match((0..<9).map { _ in bright(0) }) == nil)
  }

  @Test func damagedOnesPass() {
    #expect(match([.unusable, .unusable, bright(0.4)])! == (3, .observed))
  }

  @Test func picturesThatCannotBeMeasuredAreAssumed() {
    #expect(match((0..<9).map { _ in .unmeterable })! == (5, .assumed))
    #expect(match([bright(0.2), bright(0.3)], before: nil) == nil)
    #expect(match((0..<9).map { _ in bright(0.3) }, before: nil)! == (5, .observed))
  }

  @Test func itIsNotAwaitedForever() {
    let restless = (0..<90).map { bright($0 % 2 == 0 ? 0.1 : 0.9) }
    #expect(match(restless)! == (62, .assumed))
    #expect(match(restless, atMost: .zero)! == (1, .assumed))
  }
}
