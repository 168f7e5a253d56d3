import CaptureWire
import Testing

@Suite struct EffortBudgetTests {
  private static let millisecond: UInt64 = 1_000_000

  @Test func whatTookLongCostsAsLongButNotWhatAnotherWasTheCauseOf() {
    #expect(LongPacketBudget.cost(longBytes: 60_000, elapsed: 0) == 600_000)
    #expect(LongPacketBudget.cost(longBytes: 60_000, elapsed: 3 * Self.millisecond) == 3 * Self.millisecond)
    #expect(LongPacketBudget.cost(longBytes: 60_000, elapsed: 50 * Self.millisecond) == 6 * Self.millisecond)
  }

  @Test func aFewLongPacketsAreTakenAtOnce() {
    var budget = LongPacketBudget()
    for _ in 0..<4 { #expect(budget.pause(after: Self.millisecond, now: 1_000 * Self.millisecond) == 0) }
    #expect(budget.pause(after: Self.millisecond, now: 1_000 * Self.millisecond) > 0)
  }

  /// However many come at once, they have a share of the processor: each waits for those before it.
  @Test func manyAreSpreadOverTime() {
    var budget = LongPacketBudget()
    let now = 1_000 * Self.millisecond
    let pauses = (0..<256).map { _ in budget.pause(after: Self.millisecond, now: now) }
    #expect(pauses == pauses.sorted())
    // All together: 256 ms of work in a fifth of the time.
    let all = 256 * Self.millisecond * LongPacketBudget.share - LongPacketBudget.burst
    #expect(pauses.last == all)
    #expect(budget.pause(after: Self.millisecond, now: now + all + LongPacketBudget.burst) == 0)
  }

  @Test func nobodyRestsSoLongThatHeWouldBeTakenForDead() {
    var budget = LongPacketBudget()
    let pauses = (0..<10_000).map { _ in budget.pause(after: Self.millisecond, now: 5) }
    #expect(pauses.max() == LongPacketBudget.longestPause)
  }
}
