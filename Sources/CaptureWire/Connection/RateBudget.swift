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

  /// Takes one. `false`: there is none left.
  package mutating func take(now: UInt64) -> Bool {
    if now > last {
      left = min(burst, left + Double(now - last) / 1e9 * perSecond)
      last = now
    }
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
