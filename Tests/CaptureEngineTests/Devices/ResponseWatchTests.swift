import CaptureEngine
import CaptureModel
import Testing

struct ResponseWatchTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func aDriverThatOwesNothingResponds() {
    var watch = ResponseWatch()
    #expect(watch.check(nil, at: 100 * Self.second) == nil)
    #expect(watch.check(99 * Self.second, at: 100 * Self.second) == nil)
    #expect(watch.state == .responding)
    #expect(watch.since == nil)
  }

  @Test func itIsSlowAfterTwoSecondsAndDoesNotRespondAfterTen() {
    var watch = ResponseWatch()
    let begun = 50 * Self.second
    #expect(watch.check(begun, at: begun + 2 * Self.second - 1) == nil)
    #expect(watch.check(begun, at: begun + 2 * Self.second) == .slow)
    #expect(watch.check(begun, at: begun + 3 * Self.second) == nil, "told once")
    #expect(watch.check(begun, at: begun + 10 * Self.second - 1) == nil)
    #expect(watch.check(begun, at: begun + 10 * Self.second) == .notResponding)
    #expect(watch.seconds(at: begun + 17 * Self.second) == 17)
    #expect(watch.check(begun, at: begun + 100 * Self.second) == nil)
  }

  @Test func anAnswerEndsIt() {
    var watch = ResponseWatch()
    #expect(watch.check(Self.second, at: 20 * Self.second) == .notResponding)
    // It is in another call already.
    #expect(watch.check(20 * Self.second, at: 20 * Self.second + 1) == .responding)
    #expect(watch.check(nil, at: 21 * Self.second) == nil)
    #expect(watch.check(21 * Self.second, at: 24 * Self.second) == .slow)
    #expect(watch.check(nil, at: 25 * Self.second) == .responding)
  }

  @Test func aClockReadBeforeTheCallBeganIsNoAge() {
    var watch = ResponseWatch()
    #expect(watch.check(10, at: 9) == nil)
  }
}
