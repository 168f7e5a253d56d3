/// Delays the answers to failed attempts to identify oneself. The more attempts from one address failed lately, the longer is the delay. The answer
/// to an attempt that succeeds is not delayed. The number of addresses that are remembered is bounded.
package struct RefusalDelays: Sendable {
  /// The shortest delay, in nanoseconds.
  static let shortest: UInt64 = 500_000_000
  /// The longest delay, in nanoseconds.
  static let longest: UInt64 = 4_000_000_000
  /// How many failures have the shortest delay: people mistype.
  static let free = 4
  /// An address's failures are forgotten when none came for so many nanoseconds.
  static let memory: UInt64 = 60_000_000_000

  private struct Failures {
    var count: Int
    var last: UInt64
  }
  private let most: Int
  private var failures: [String: Failures] = [:]

  /// `most`: how many addresses are remembered.
  package init(most: Int) { self.most = most }

  /// How many addresses are remembered.
  package var count: Int { failures.count }

  /// Counts one more failure. Returns the delay of its answer, in nanoseconds.
  package mutating func next(of origin: String, at now: UInt64) -> UInt64 {
    var known = failures[origin] ?? Failures(count: 0, last: now)
    if now > known.last + Self.memory { known.count = 0 }
    known = Failures(count: known.count + 1, last: now)
    if failures[origin] == nil, failures.count >= most { forgetOldest() }
    failures[origin] = known
    let doublings = min(max(0, known.count - Self.free), 8)
    return min(Self.shortest << doublings, Self.longest)
  }

  /// Forgets the failures of an address after an attempt that succeeded: the address is no stranger's.
  package mutating func succeeded(_ origin: String) { failures[origin] = nil }

  private mutating func forgetOldest() {
    guard let oldest = failures.min(by: { $0.value.last < $1.value.last }) else { return }
    failures[oldest.key] = nil
  }
}
