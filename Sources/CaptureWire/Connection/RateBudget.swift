/// A budget of `burst` units at once, which fills again by `perSecond` units a second.
package struct RateBudget: Sendable {
  private let burst: Double
  private let perSecond: Double
  private var left: Double
  private var last: UInt64

  package init(burst: Int, perSecond: Int, now: UInt64) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    left = Double(burst)
    last = now
  }

  /// Takes `count` units. Returns `false`, and takes none, where fewer are left.
  package mutating func take(_ count: Int = 1, now: UInt64) -> Bool {
    refill(now)
    guard left >= Double(count) else { return false }
    left -= Double(count)
    return true
  }

  /// Takes `count` units, or as many as are left. Returns how many it took.
  package mutating func takeAvailable(_ count: Int, now: UInt64) -> Int {
    refill(now)
    let taken = min(count, Int(left))
    left -= Double(taken)
    return taken
  }

  /// Whether the budget is full.
  package func isWhole(now: UInt64) -> Bool {
    var budget = self
    budget.refill(now)
    return budget.left >= burst
  }

  private mutating func refill(_ now: UInt64) {
    guard now > last else { return }
    left = min(burst, left + Double(now - last) / 1e9 * perSecond)
    last = now
  }
}
