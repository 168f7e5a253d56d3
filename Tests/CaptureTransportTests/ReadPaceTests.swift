import Testing

@testable import CaptureTransport

@Suite struct ReadPaceTests {
  @Test func doublesWithEveryFullReadUpToItsMost() {
    var pace = ReadPace()
    var seen: [Int] = []
    for _ in 0..<8 {
      seen.append(pace.bytes)
      let goesOn = pace.goesOn(cancels: 0)
      #expect(goesOn)
    }
    #expect(seen == [512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 32_768])
  }

  @Test func aCancelEndsTheTurnAndBeginsAnew() {
    var pace = ReadPace()
    for _ in 0..<8 { _ = pace.goesOn(cancels: 3) }
    #expect(pace.bytes == ReadPace.most)
    let goesOn = pace.goesOn(cancels: 4)
    #expect(!goesOn && pace.bytes == ReadPace.least)
    let goesOnAgain = pace.goesOn(cancels: 4)
    #expect(goesOnAgain && pace.bytes == 2 * ReadPace.least)
  }
}
