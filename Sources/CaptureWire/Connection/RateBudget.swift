/// So many at once, and so many a second from then on.
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

  /// Takes so many. `false`: there are not as many left, and none was taken.
  package mutating func take(_ count: Int = 1, now: UInt64) -> Bool {
    refill(now)
    guard left >= Double(count) else { return false }
    left -= Double(count)
    return true
  }

  /// Takes what there is of so many; how many that is.
  package mutating func takeAvailable(_ count: Int, now: UInt64) -> Int {
    refill(now)
    let taken = min(count, Int(left))
    left -= Double(taken)
    return taken
  }

  /// None is missing.
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
