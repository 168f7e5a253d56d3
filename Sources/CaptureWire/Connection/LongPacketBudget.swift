/// Spreads the cost of one origin's long packets over time. Ordinary packets are short and cost microseconds. A packet as long as the limit may cost
/// milliseconds, and hundreds of connections may send such packets at once. Each connection pauses until its turn, so that all of them together get only
/// a share of a processor.
package struct LongPacketBudget: Sendable {
  /// The share of a processor: one in this many.
  package static let share: UInt64 = 5
  /// How many nanoseconds may be spent at once.
  package static let burst: UInt64 = 20_000_000
  /// The longest pause, in nanoseconds. The node would take a peer that is silent for longer for dead.
  package static let longestPause: UInt64 = 10_000_000_000

  /// When everything that was spent so far will be paid.
  private var paid: UInt64 = 0

  package init() {}

  /// The cost of a turn, in nanoseconds. `longBytes`: the bytes of the long packets that ended in it. Reading and keeping them has a cost, and decoding
  /// them up to ten times as much. Time beyond that was spent by others.
  package static func cost(longBytes: UInt64, elapsed: UInt64) -> UInt64 {
    max(10 * longBytes, min(elapsed, 100 * longBytes))
  }

  /// How long a connection that caused this cost pauses, in nanoseconds.
  package mutating func pause(after cost: UInt64, now: UInt64) -> UInt64 {
    paid = max(paid, now &- min(now, Self.burst)) &+ cost &* Self.share
    guard paid > now else { return 0 }
    // The debt is never longer than the longest pause.
    paid = min(paid, now + Self.longestPause)
    return paid - now
  }
}
