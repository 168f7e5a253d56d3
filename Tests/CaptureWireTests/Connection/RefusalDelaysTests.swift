import Testing

@testable import CaptureWire

@Suite struct RefusalDelaysTests {
  private static let second: UInt64 = 1_000_000_000

  @Test func theyGrowWithTheFailuresOfAnAddressAlone() {
    var delays = RefusalDelays(most: 10)
    let half = Self.second / 2
    #expect((0..<9).map { delays.next(of: "a", at: $0) } == [1, 1, 1, 1, 2, 4, 8, 8, 8].map { half * $0 })
    #expect(delays.next(of: "b", at: 10) == half)
    for _ in 0..<1_000 { _ = delays.next(of: "a", at: 11) }
    #expect(delays.next(of: "a", at: 12) == 4 * Self.second)
  }

  @Test func theyAreForgottenAfterAMinuteAndWithASuccess() {
    var delays = RefusalDelays(most: 10)
    for _ in 0..<9 { _ = delays.next(of: "a", at: 0) }
    #expect(delays.next(of: "a", at: RefusalDelays.memory) == 4 * Self.second)
    #expect(delays.next(of: "a", at: 2 * RefusalDelays.memory + 1) == Self.second / 2)
    for _ in 0..<9 { _ = delays.next(of: "a", at: 2 * RefusalDelays.memory + 2) }
    delays.succeeded("a")
    #expect(delays.count == 0)
    #expect(delays.next(of: "a", at: 2 * RefusalDelays.memory + 3) == Self.second / 2)
  }

  @Test func manyAddressesTakeABoundedPlace() {
    var delays = RefusalDelays(most: 4)
    for _ in 0..<9 { _ = delays.next(of: "worst", at: 1_000) }
    for number in 0..<1_000 {
      _ = delays.next(of: "\(number)", at: 1_001 + UInt64(number))
      _ = delays.next(of: "worst", at: 1_001 + UInt64(number))
    }
    #expect(delays.count == 4)
    #expect(delays.next(of: "worst", at: 3_000) == 4 * Self.second)
  }
}
