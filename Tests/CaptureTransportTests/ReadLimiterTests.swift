import Testing

@testable import CaptureTransport

@Suite struct ReadPaceTests {
  @Test func whoBeginsManyCallsInATurnIsReadInSmallerParts() {
    var pace = ReadLimiter()
    for _ in 0..<7 { _ = pace.rests(afterFull: true, cancels: 0) }
    #expect(pace.bytes == ReadLimiter.most)
    pace.turnStarted(calls: ReadLimiter.calls)
    #expect(pace.bytes == ReadLimiter.most)
    for _ in 0..<9 { pace.turnStarted(calls: 500) }
    #expect(pace.bytes == ReadLimiter.least)
  }

  @Test func doublesWithEveryFullReadUpToItsMost() {
    var pace = ReadLimiter()
    var seen: [Int] = []
    for _ in 0..<8 {
      seen.append(pace.bytes)
      let rests = pace.rests(afterFull: true, cancels: 0)
      #expect(!rests)
    }
    #expect(seen == [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768])
  }

  @Test func manyCancelsAtOnceBeginAnewAfterARest() {
    var pace = ReadLimiter()
    for _ in 0..<8 { _ = pace.rests(afterFull: true, cancels: 2) }
    #expect(pace.bytes == ReadLimiter.most)
    let rests = pace.rests(afterFull: false, cancels: 5)
    #expect(rests && pace.bytes == ReadLimiter.least)
  }

  @Test func aFewCancelsAndReadsThatAreNotFullChangeNothing() {
    var pace = ReadLimiter()
    _ = pace.rests(afterFull: true, cancels: 0)
    for cancels in 1...20 as ClosedRange<UInt64> {
      let rests = pace.rests(afterFull: false, cancels: cancels)
      #expect(!rests && pace.bytes == 2 * ReadLimiter.least)
    }
  }
}
