import Testing

@testable import CaptureTransport

@Suite struct ReadPaceTests {
  @Test func whoBeginsManyCallsInATurnIsReadInSmallerParts() {
    var pace = ReadPace()
    for _ in 0..<7 { _ = pace.rests(afterFull: true, cancels: 0) }
    #expect(pace.bytes == ReadPace.most)
    pace.began(ReadPace.calls)
    #expect(pace.bytes == ReadPace.most)
    for _ in 0..<9 { pace.began(500) }
    #expect(pace.bytes == ReadPace.least)
  }

  @Test func doublesWithEveryFullReadUpToItsMost() {
    var pace = ReadPace()
    var seen: [Int] = []
    for _ in 0..<8 {
      seen.append(pace.bytes)
      let rests = pace.rests(afterFull: true, cancels: 0)
      #expect(!rests)
    }
    #expect(seen == [256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768])
  }

  @Test func manyCancelsAtOnceBeginAnewAfterARest() {
    var pace = ReadPace()
    for _ in 0..<8 { _ = pace.rests(afterFull: true, cancels: 2) }
    #expect(pace.bytes == ReadPace.most)
    let rests = pace.rests(afterFull: false, cancels: 5)
    #expect(rests && pace.bytes == ReadPace.least)
  }

  @Test func aFewCancelsAndReadsThatAreNotFullChangeNothing() {
    var pace = ReadPace()
    _ = pace.rests(afterFull: true, cancels: 0)
    for cancels in 1...20 as ClosedRange<UInt64> {
      let rests = pace.rests(afterFull: false, cancels: cancels)
      #expect(!rests && pace.bytes == 2 * ReadPace.least)
    }
  }
}
