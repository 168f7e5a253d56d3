import Testing

@testable import CaptureTransport

@Suite struct ReadLimiterTests {
  @Test func whoBeginsManyCallsInATurnIsReadInSmallerParts() {
    var pace = ReadLimiter()
    for _ in 0..<7 { _ = pace.needsPause(afterFull: true, cancels: 0) }
    #expect(pace.bytes == ReadLimiter.mostRead)
    pace.turnStarted(calls: ReadLimiter.callsPerTurn)
    #expect(pace.bytes == ReadLimiter.mostRead)
    for _ in 0..<9 { pace.turnStarted(calls: 500) }
    #expect(pace.bytes == ReadLimiter.leastRead)
  }

  @Test func doublesWithEveryFullReadUpToItsMost() {
    var pace = ReadLimiter()
    var seen: [Int] = []
    for _ in 0..<8 {
      seen.append(pace.bytes)
      let pauses = pace.needsPause(afterFull: true, cancels: 0)
      #expect(!pauses)
    }
    #expect(seen == [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768])
  }

  @Test func manyCancelsAtOnceBeginAnewAfterAPause() {
    var pace = ReadLimiter()
    for _ in 0..<8 { _ = pace.needsPause(afterFull: true, cancels: 2) }
    #expect(pace.bytes == ReadLimiter.mostRead)
    let pauses = pace.needsPause(afterFull: false, cancels: 5)
    #expect(pauses && pace.bytes == ReadLimiter.leastRead)
  }

  @Test func aFewCancelsAndReadsThatAreNotFullChangeNothing() {
    var pace = ReadLimiter()
    _ = pace.needsPause(afterFull: true, cancels: 0)
    for cancels in 1...20 as ClosedRange<UInt64> {
      let pauses = pace.needsPause(afterFull: false, cancels: cancels)
      #expect(!pauses && pace.bytes == 2 * ReadLimiter.leastRead)
    }
  }
}
