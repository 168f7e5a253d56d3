/// Delays the answers to attempts to come in that failed. The delay is longer the more attempts from the same address failed lately. An attempt that
/// succeeds is not delayed. It remembers a bounded number of addresses.
package struct RefusalDelays: Sendable {
  /// Nanoseconds.
  static let shortest: UInt64 = 500_000_000
  static let longest: UInt64 = 4_000_000_000
  /// How many failures have the shortest delay: people mistype.
  static let free = 4
  /// Failures are forgotten when none came for so long.
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

  /// The delay of the answer to one more failure, in nanoseconds.
  package mutating func next(of origin: String, at now: UInt64) -> UInt64 {
    var known = failures[origin] ?? Failures(count: 0, last: now)
    if now > known.last + Self.memory { known.count = 0 }
    known = Failures(count: known.count + 1, last: now)
    if failures[origin] == nil, failures.count >= most { forgetOldest() }
    failures[origin] = known
    let doublings = min(max(0, known.count - Self.free), 8)
    return min(Self.shortest << doublings, Self.longest)
  }

  /// Forgets the failures of an address from which somebody has come in: it is no stranger's.
  package mutating func succeeded(_ origin: String) { failures[origin] = nil }

  private mutating func forgetOldest() {
    guard let oldest = failures.min(by: { $0.value.last < $1.value.last }) else { return }
    failures[oldest.key] = nil
  }
}
