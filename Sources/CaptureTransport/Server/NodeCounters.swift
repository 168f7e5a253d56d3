import Synchronization

/// Counters to which the connections on all loops add.
final class NodeCounters: Sendable {
  /// The counts of one connection.
  struct Totals {
    var calls: UInt64 = 0
    var failed: UInt64 = 0
    var sent: UInt64 = 0
    var received: UInt64 = 0
  }

  let running = Atomic<Int>(0)
  /// Connections that were not served because of a limit, or that broke the protocol.
  let refused = Atomic<UInt64>(0)
  private let calls = Atomic<UInt64>(0)
  private let failed = Atomic<UInt64>(0)
  let discarded = Atomic<UInt64>(0)
  let sent = Atomic<UInt64>(0)
  let received = Atomic<UInt64>(0)

  /// The calls since the start, and how many of them have failed.
  var callCounts: (total: UInt64, failed: UInt64) {
    // Failed calls are added last and read first, so that each of them is among all calls that are read.
    let failed = failed.load(ordering: .acquiring)
    return (calls.load(ordering: .relaxed), failed)
  }

  func add(_ now: Totals, after before: Totals) {
    if now.calls != before.calls { calls.wrappingAdd(now.calls - before.calls, ordering: .relaxed) }
    if now.failed != before.failed { failed.wrappingAdd(now.failed - before.failed, ordering: .releasing) }
    if now.sent != before.sent { sent.wrappingAdd(now.sent - before.sent, ordering: .relaxed) }
    if now.received != before.received {
      received.wrappingAdd(now.received - before.received, ordering: .relaxed)
    }
  }
}
