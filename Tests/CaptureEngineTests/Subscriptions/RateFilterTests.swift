import Testing

@testable import CaptureEngine

@Suite struct RateFilterTests {
  @Test(arguments: [1e-20, 1e-10, 1e-3, 1000])
  func anyRateIsServedWithoutOverflow(rate: Double) {
    var filter = RateFilter(rate: rate)
    let now: UInt64 = 1 << 62
    #expect(filter.isDue(now))
    filter.noteTaken(now)
    #expect(!filter.isDue(now))
  }

  @Test func halfTheRateTakesEverySecondFrame() {
    var filter = RateFilter(rate: 15)
    let taken = (0..<60).filter { number in
      let time = UInt64(number) * 33_333_333
      guard filter.isDue(time) else { return false }
      filter.noteTaken(time)
      return true
    }
    #expect(taken == Array(stride(from: 0, to: 60, by: 2)))
  }
}
