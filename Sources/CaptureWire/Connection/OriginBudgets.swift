/// Bounds the cancels of all connections of one origin, for each origin. It remembers the origins that cancelled lately, and forgets those whose
/// budget is whole again. If there are too many origins, newcomers share one budget.
package struct OriginBudgets: Sendable {
  private let burst: Int
  private let perSecond: Int
  private let most: Int
  private var budgets: [String: RateBudget] = [:]
  private var shared: RateBudget
  private var nextSweep: UInt64 = 0

  /// `burst`, `perSecond`: the budget of each origin. `most`: how many origins are remembered.
  package init(burst: Int, perSecond: Int, most: Int) {
    self.burst = burst
    self.perSecond = perSecond
    self.most = most
    shared = RateBudget(burst: burst, perSecond: perSecond, now: 0)
  }

  /// How many origins are remembered.
  package var count: Int { budgets.count }

  /// Takes `count` cancels from the origin's budget. Returns `false` where fewer are left.
  package mutating func take(_ count: Int, of origin: String, now: UInt64) -> Bool {
    if budgets[origin] == nil, budgets.count >= most { forgetIdle(now) }
    guard budgets[origin] != nil || budgets.count < most else { return shared.take(count, now: now) }
    return budgets[origin, default: RateBudget(burst: burst, perSecond: perSecond, now: now)]
      .take(count, now: now)
  }

  /// Forgets origins whose budget is whole. It does so once a second at most, since it looks at all origins.
  private mutating func forgetIdle(_ now: UInt64) {
    guard now >= nextSweep else { return }
    nextSweep = now + 1_000_000_000
    budgets = budgets.filter { !$0.value.isWhole(now: now) }
  }
}
