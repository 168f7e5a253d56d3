import Glibc
import Testing

@testable import CaptureSystem

@Suite struct HeapReturnTests {
  private let megabyte = 1 << 20

  @Test func itTrimsAtFirstAndWhereMoreIsIdleThanTrimmingLeaves() {
    var rule = HeapRule()
    func trims(idle: Int) -> Bool {
      rule.advice(at: .init(used: 5 * megabyte, idle: idle * megabyte)) == .trim
    }
    #expect(trims(idle: 30) == true)
    rule.trimmed(to: .init(used: 5 * megabyte, idle: 10 * megabyte))
    #expect(trims(idle: 13) == false)
    #expect(trims(idle: 15) == true)
    rule.trimmed(to: .init(used: 5 * megabyte, idle: 11 * megabyte))
    // What a camera had mapped is gone: less is idle than there was.
    #expect(trims(idle: 2) == false)
    #expect(trims(idle: 7) == true)
  }

  /// While a crowd was there, few pages were free from end to end; as little as was idle then may be given back now.
  @Test func itTrimsWhereMuchWasFreedSince() {
    var rule = HeapRule()
    rule.trimmed(to: .init(used: 20 * megabyte, idle: 50 * megabyte))
    func advice(used: Int) -> HeapRule.Advice {
      rule.advice(at: .init(used: used * megabyte, idle: 50 * megabyte))
    }
    #expect(advice(used: 60) == .rest)
    #expect(advice(used: 4) == .trim)
    rule.trimmed(to: .init(used: 4 * megabyte, idle: 8 * megabyte))
    #expect(advice(used: 4) == .trim)  // more is idle
  }

  /// The last of a crowd goes after its most, and megabytes of pages were kept by some hundred kilobytes of it.
  @Test func whereALittleWasFreedItTrimsOnceNoMoreIs() {
    var rule = HeapRule()
    rule.trimmed(to: .init(used: 5_000_000, idle: 8 * megabyte))
    func advice(used: Int) -> HeapRule.Advice { rule.advice(at: .init(used: used, idle: 8 * megabyte)) }
    #expect(advice(used: 4_900_000) == .rest)
    #expect(advice(used: 4_000_000) == .checkAgain)
    #expect(advice(used: 3_200_000) == .checkAgain)
    #expect(advice(used: 3_100_000) == .trim)
    rule.trimmed(to: .init(used: 3_100_000, idle: 5 * megabyte))
    #expect(advice(used: 3_100_000) == .rest)
    #expect(advice(used: 2_900_000) == .rest)
  }

  /// Pieces that stay lie between those that are freed: malloc by itself gives nothing of it back.
  @Test(.timeLimit(.minutes(1))) func whatABurstLeftBehindIsGivenBack() async throws {
    let heap = HeapReturn()
    var pieces = (0..<40_000).map { _ in malloc(4_096)! }
    for piece in pieces { memset(piece, 1, 4_096) }
    let kept = stride(from: 0, to: pieces.count, by: 16).map { pieces[$0] }
    for (index, piece) in pieces.enumerated() where index % 16 != 0 { free(piece) }
    pieces = []
    let before = Heap.usage.idle
    #expect(before > 100 * megabyte)
    heap.workEnded()
    let end = ContinuousClock.now + .seconds(20)
    while Heap.usage.idle > before - 80 * megabyte, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(Heap.usage.idle <= before - 80 * megabyte)
    for piece in kept { free(piece) }
  }
}
