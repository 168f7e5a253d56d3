/// Spreads over time what the long packets of one origin cost. Ordinary packets are short and cost microseconds; one that is as long as the
/// limit may cost milliseconds, and hundreds of connections may send such at once: each rests until its turn, so that all of them together
/// get a share of a processor and no more.
package struct EffortBudget: Sendable {
  /// Of a processor, one in so many.
  package static let share: UInt64 = 5
  /// What may be spent at once, nanoseconds.
  package static let burst: UInt64 = 20_000_000
  /// The longest rest, nanoseconds: a peer that says nothing for longer would be taken for dead.
  package static let longestRest: UInt64 = 10_000_000_000

  /// When all that was spent so far will have been paid.
  private var paid: UInt64 = 0

  package init() {}

  /// What a read cost, nanoseconds. `longBytes`: what it had of long packets. To read and keep them costs something, to decode them up to ten
  /// times as much; what took longer than that was another's doing.
  package static func cost(longBytes: UInt64, elapsed: UInt64) -> UInt64 {
    max(10 * longBytes, min(elapsed, 100 * longBytes))
  }

  /// How long whoever has caused this cost rests, nanoseconds.
  package mutating func rest(after cost: UInt64, now: UInt64) -> UInt64 {
    paid = max(paid, now &- min(now, Self.burst)) &+ cost &* Self.share
    guard paid > now else { return 0 }
    // What nobody waits for is nobody's debt.
    paid = min(paid, now + Self.longestRest)
    return paid - now
  }
}
