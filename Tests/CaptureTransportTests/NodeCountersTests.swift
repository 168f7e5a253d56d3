import Foundation
import Testing

@testable import CaptureTransport

@Suite struct NodeCountersTests {
  /// Connections add on the threads of their loops, whoever reads meanwhile.
  @Test func noMoreCallsHaveFailedThanThereWere() {
    let (counters, count) = (NodeCounters(), UInt64(200_000))
    Thread.detachNewThread {
      for calls in 0..<count {
        counters.add(
          NodeCounters.Totals(calls: calls + 1, failed: calls + 1),
          after: NodeCounters.Totals(calls: calls, failed: calls))
      }
    }
    var (counts, isAhead) = (counters.callCounts, false)
    while counts.failed < count {
      isAhead = isAhead || counts.failed > counts.total
      counts = counters.callCounts
    }
    #expect(!isAhead)
  }
}
