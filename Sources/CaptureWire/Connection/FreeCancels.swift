/// The cancels of one connection that do not count against its origin. A few are free for each connection, so that a client that cancels little does
/// not pay for a neighbour who cancels much.
package struct FreeCancels: Sendable {
  /// How many cancels are free at once.
  package static let burst = 16
  /// How many cancels are free a second, after those.
  package static let perSecond = 4

  private var own: RateBudget
  private var counted: UInt64 = 0

  package init(now: UInt64) { own = RateBudget(burst: Self.burst, perSecond: Self.perSecond, now: now) }

  /// How many of the cancels since the last call count against the origin. `total`: the connection's cancels so far.
  package mutating func excess(of total: UInt64, now: UInt64) -> Int {
    let new = Int(total - counted)
    guard new > 0 else { return 0 }
    counted = total
    return new - own.takeAvailable(new, now: now)
  }
}
