/// Spreads the cost of one origin's long packets over time. Ordinary packets are short and cost microseconds. A packet as long as the limit may cost
/// milliseconds, and hundreds of connections may send such packets at once. Each connection pauses until its turn, so that all of them together get
/// only a share of a processor.
package struct LongPacketBudget: Sendable {
  /// The share of a processor's time that an origin gets: one part in so many.
  package static let share: UInt64 = 5
  /// How many nanoseconds may be spent at once.
  package static let burst: UInt64 = 20_000_000
  /// The longest pause, in nanoseconds. During a longer pause the node, which hears nothing then, could take the peer for dead.
  package static let longestPause: UInt64 = 10_000_000_000

  /// When the origin's share will have paid for everything that was spent so far, in nanoseconds.
  private var paid: UInt64 = 0

  package init() {}

  /// The cost of a turn, in nanoseconds. `longBytes`: the bytes of the long packets that ended in it. `elapsed`: the time of the turn. Reading and
  /// keeping a byte costs 10 ns, and decoding it up to ten times as much. Time beyond that was spent on others.
  package static func cost(longBytes: UInt64, elapsed: UInt64) -> UInt64 {
    max(10 * longBytes, min(elapsed, 100 * longBytes))
  }

  /// How many nanoseconds a connection pauses after a turn that cost `cost` nanoseconds.
  package mutating func pause(after cost: UInt64, now: UInt64) -> UInt64 {
    paid = max(paid, now &- min(now, Self.burst)) &+ cost &* Self.share
    guard paid > now else { return 0 }
    // The debt is never longer than the longest pause.
    paid = min(paid, now + Self.longestPause)
    return paid - now
  }
}
