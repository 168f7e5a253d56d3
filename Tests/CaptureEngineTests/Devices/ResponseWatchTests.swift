import CaptureEngine
import CaptureModel
import Testing

struct ResponseWatchTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func aDriverThatOwesNothingResponds() {
    var watch = ResponseWatch()
    #expect(watch.look(nil, at: 100 * Self.second) == nil)
    #expect(watch.look(99 * Self.second, at: 100 * Self.second) == nil)
    #expect(watch.state == .responding)
    #expect(watch.since == nil)
  }

  @Test func itIsSlowAfterTwoSecondsAndDoesNotRespondAfterTen() {
    var watch = ResponseWatch()
    let begun = 50 * Self.second
    #expect(watch.look(begun, at: begun + 2 * Self.second - 1) == nil)
    #expect(watch.look(begun, at: begun + 2 * Self.second) == .slow)
    #expect(watch.look(begun, at: begun + 3 * Self.second) == nil, "told once")
    #expect(watch.look(begun, at: begun + 10 * Self.second - 1) == nil)
    #expect(watch.look(begun, at: begun + 10 * Self.second) == .notResponding)
    #expect(watch.seconds(at: begun + 17 * Self.second) == 17)
    #expect(watch.look(begun, at: begun + 100 * Self.second) == nil)
  }

  @Test func anAnswerEndsIt() {
    var watch = ResponseWatch()
    #expect(watch.look(Self.second, at: 20 * Self.second) == .notResponding)
    // It is in another call already.
    #expect(watch.look(20 * Self.second, at: 20 * Self.second + 1) == .responding)
    #expect(watch.look(nil, at: 21 * Self.second) == nil)
    #expect(watch.look(21 * Self.second, at: 24 * Self.second) == .slow)
    #expect(watch.look(nil, at: 25 * Self.second) == .responding)
  }

  @Test func aClockReadBeforeTheCallBeganIsNoAge() {
    var watch = ResponseWatch()
    #expect(watch.look(10, at: 9) == nil)
  }
}
