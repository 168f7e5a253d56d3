import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct SteadinessTests {
  @Test func itCountsFromTheFirstFrameThatHasTheLatestChange() {
    var steadiness = Steadiness()
    #expect(steadiness.duration == .zero && steadiness.sinceSettled == nil)
    steadiness.noteFrame(at: 1_000_000_000, change: 3)
    steadiness.noteFrame(at: 3_000_000_000, change: 3)
    #expect(steadiness.duration == .seconds(2))
    steadiness.settled()
    steadiness.noteFrame(at: 4_000_000_000, change: 3)
    #expect(steadiness.sinceSettled == .seconds(1))
    steadiness.noteChange(4)
    #expect(steadiness.duration == .zero && steadiness.sinceSettled == nil)
    steadiness.noteFrame(at: 5_000_000_000, change: 3)
    #expect(!steadiness.has(3) && steadiness.duration == .zero)
    steadiness.noteFrame(at: 6_000_000_000, change: 4)
    steadiness.noteFrame(at: 7_000_000_000, change: 4)
    #expect(steadiness.duration == .seconds(1))
    // A frame of which nothing is known may have it.
    steadiness.noteFrame(at: 8_000_000_000, change: nil)
    #expect(steadiness.has(nil) && steadiness.duration == .seconds(2))
    steadiness.disturbed()
    steadiness.noteFrame(at: 9_000_000_000, change: 4)
    #expect(steadiness.duration == .zero)
  }
}
