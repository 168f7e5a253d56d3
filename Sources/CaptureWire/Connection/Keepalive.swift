/// Finds out that a peer is gone: it sends a Ping after silence, and ends the connection if no answer comes. Any byte received shows that the peer
/// lives.
package struct Keepalive: Sendable {
  package enum Verdict: Hashable, Sendable { case alive, ping, dead }

  /// How long a peer may be silent before a Ping, in nanoseconds.
  let idle: UInt64
  /// How long a peer may take to answer the Ping, in nanoseconds.
  let patience: UInt64
  private var lastHeard: UInt64
  private var asked: UInt64?

  init(idle: UInt64, patience: UInt64, now: UInt64) {
    self.idle = idle
    self.patience = patience
    lastHeard = now
  }

  mutating func heard(now: UInt64) {
    lastHeard = now
    asked = nil
  }

  mutating func check(now: UInt64) -> Verdict {
    if let asked { return now >= asked + patience ? .dead : .alive }
    guard now >= lastHeard + idle else { return .alive }
    asked = now
    return .ping
  }

  /// When to check next.
  var due: UInt64 { asked.map { $0 + patience } ?? lastHeard + idle }
}
