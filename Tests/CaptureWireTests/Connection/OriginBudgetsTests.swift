import Testing

@testable import CaptureWire

@Suite struct OriginBudgetsTests {
  /// `#expect` takes no mutating calls.
  private final class Budgets {
    private var budgets: OriginBudgets
    var count: Int { budgets.count }

    init(burst: Int, perSecond: Int, most: Int = 1_024) {
      budgets = OriginBudgets(burst: burst, perSecond: perSecond, most: most)
    }

    func take(_ count: Int, of origin: String, now: UInt64) -> Bool {
      budgets.take(count, of: origin, now: now)
    }
  }

  private static let second: UInt64 = 1_000_000_000

  @Test func eachOriginHasABudgetThatFillsUpAgain() {
    let budgets = Budgets(burst: 10, perSecond: 2)
    #expect(budgets.take(10, of: "a", now: 1))
    #expect(!budgets.take(1, of: "a", now: 1))
    #expect(budgets.take(10, of: "b", now: 1))
    #expect(budgets.take(2, of: "a", now: 1 + Self.second))
    #expect(!budgets.take(1, of: "a", now: 1 + Self.second))
  }

  @Test func whatCannotBeTakenWholeIsNotTaken() {
    let budgets = Budgets(burst: 10, perSecond: 1)
    #expect(!budgets.take(11, of: "a", now: 1))
    #expect(budgets.take(10, of: "a", now: 1))
  }

  @Test func theIdleAreForgottenWhenThereIsNoRoom() {
    let budgets = Budgets(burst: 10, perSecond: 10, most: 3)
    for origin in ["a", "b", "c"] { #expect(budgets.take(5, of: origin, now: 1)) }
    #expect(budgets.count == 3)
    #expect(budgets.take(5, of: "a", now: Self.second / 4))
    // "b" and "c" have all of theirs again, "a" has not.
    #expect(budgets.take(10, of: "d", now: Self.second * 11 / 20))
    #expect(budgets.count == 2)
    #expect(!budgets.take(10, of: "a", now: Self.second * 11 / 20))
  }

  @Test func whereNobodyIsIdleNewcomersShareOneBudget() {
    let budgets = Budgets(burst: 10, perSecond: 1, most: 2)
    for origin in ["a", "b"] { #expect(budgets.take(10, of: origin, now: 1)) }
    #expect(budgets.take(6, of: "c", now: 1))
    #expect(!budgets.take(6, of: "d", now: 1), "c took of the same")
    #expect(budgets.take(4, of: "d", now: 1))
    #expect(budgets.count == 2)
  }

  @Test func aFewCancelsAreAConnectionsOwn() {
    var share = FreeCancels(now: 0)
    let steps: [(total: UInt64, now: UInt64)] = [
      (10, 0), (10, 0), (20, 0), (24, Self.second), (25, Self.second),
    ]
    #expect(steps.map { share.excess(of: $0.total, now: $0.now) } == [0, 0, 4, 0, 1])
  }
}
