import Testing

@testable import CaptureEngine

@Suite struct RateGateTests {
  @Test(arguments: [1e-20, 1e-10, 1e-3, 1000])
  func anyRateIsServedWithoutOverflow(rate: Double) {
    var gate = RateGate(rate: rate)
    let now: UInt64 = 1 << 62
    #expect(gate.isDue(now))
    gate.noteTaken(now)
    #expect(!gate.isDue(now))
  }

  @Test func halfTheRateTakesEverySecondFrame() {
    var gate = RateGate(rate: 15)
    let taken = (0..<60).filter { number in
      let time = UInt64(number) * 33_333_333
      guard gate.isDue(time) else { return false }
      gate.noteTaken(time)
      return true
    }
    #expect(taken == Array(stride(from: 0, to: 60, by: 2)))
  }
}
