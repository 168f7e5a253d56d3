/// Finds out that a peer is gone: it sends a Ping after silence, and ends the connection if no answer comes. Any byte received shows that the peer
/// lives.
package struct Keepalive: Sendable {
  package enum Verdict: Hashable, Sendable { case alive, ping, dead }

  /// A Ping that nothing has answered yet.
  private struct Asked {
    /// Since when the Ping has been on its way, as far as is known: what the kernel still has to send before it is not seen here.
    var since: UInt64
    /// When ``Keepalive/check(now:written:ahead:)`` last looked at what was written.
    var looked: UInt64
    /// How many bytes were written then.
    var written: UInt64
    /// How many bytes are written when all has gone out that was to go before the Ping.
    let start: UInt64
    /// Whether something before the Ping still waits.
    var waits: Bool { written < start }
  }

  /// How long a peer may be silent before a Ping, in nanoseconds.
  let idle: UInt64
  /// How long a peer may take to answer the Ping, in nanoseconds.
  let patience: UInt64
  private var lastHeard: UInt64
  private var asked: Asked?

  init(idle: UInt64, patience: UInt64, now: UInt64) {
    self.idle = idle
    self.patience = patience
    lastHeard = now
  }

  mutating func heard(now: UInt64) {
    lastHeard = now
    asked = nil
  }

  /// Says whether the peer lives. A Ping may wait behind much that goes out slowly: as long as that goes on, the time for the answer begins anew.
  /// - Parameter written: how many bytes were written so far.
  /// - Parameter ahead: how many bytes go out before a packet that is sent now.
  mutating func check(now: UInt64, written: UInt64, ahead: Int) -> Verdict {
    if var ping = asked {
      if ping.waits, written > ping.written { ping.since = now }
      (ping.looked, ping.written) = (now, written)
      asked = ping
      return now >= ping.since + patience ? .dead : .alive
    }
    guard now >= lastHeard + idle else { return .alive }
    asked = Asked(since: now, looked: now, written: written, start: written + UInt64(ahead))
    return .ping
  }

  /// For how many nanoseconds the peer has been silent.
  func silence(now: UInt64) -> UInt64 { now - lastHeard }

  /// When to check next. While something before the Ping waits, that is soon: the looks find out since when the peer could have answered.
  var due: UInt64 {
    guard let asked else { return lastHeard + idle }
    let end = asked.since + patience
    return asked.waits ? min(end, asked.looked + patience / 10) : end
  }
}
