import Testing

@testable import CaptureNode

@Suite struct TimelapseGridTests {
  private let grid = TimelapseGrid(start: 1_000, interval: 100)

  @Test func ticksDoNotDrift() {
    // Each comes a little late, and the next one is where it was to be.
    var latest: UInt64?
    for tick in 0..<1_000 as Range<UInt64> {
      let next = grid.next(after: latest, now: grid.time(of: tick) - 90)
      #expect(next == .init(tick: tick, missed: 0))
      latest = next.tick
    }
    #expect(grid.time(of: 999) == 1_000 + 99_900)
  }

  @Test func aTickIsDoneLateByATenthAtMost() {
    #expect(grid.next(after: nil, now: 0) == .init(tick: 0, missed: 0))
    #expect(grid.next(after: nil, now: 1_010) == .init(tick: 0, missed: 0))
    #expect(grid.next(after: nil, now: 1_011) == .init(tick: 1, missed: 1))
    #expect(grid.next(after: 0, now: 1_110) == .init(tick: 1, missed: 0))
    #expect(grid.next(after: 0, now: 1_111) == .init(tick: 2, missed: 1))
  }

  @Test func aPauseMissesTicksAndKeepsTheGrid() {
    #expect(grid.next(after: 3, now: 2_050) == .init(tick: 11, missed: 7))
    #expect(grid.time(of: 11) == 2_100)
  }

  @Test func theClockMayHaveBegunAfterTheStart() {
    let grid = TimelapseGrid(start: -10_000, interval: 100)
    #expect(grid.next(after: 7, now: 5) == .init(tick: 100, missed: 92))
    #expect(grid.time(of: 100) == 0)
  }

  @Test func theCountEndsIt() {
    let grid = TimelapseGrid(start: 0, interval: 100, count: 3)
    #expect(grid.next(after: 1, now: 150) == .init(tick: 2, missed: 0))
    #expect(grid.next(after: 2, now: 250) == .init(tick: nil, missed: 0))
    #expect(grid.next(after: 0, now: 10_000) == .init(tick: nil, missed: 2))
  }
}
