import Testing

@testable import CaptureLoop

@Suite struct PollPolicyTests {
  @Test func itSpinsAgainAfterEachSpinThatPaid() {
    var policy = PollPolicy()
    for _ in 0..<10 {
      let spins = policy.shouldSpin(after: (read: 100, written: 100))
      #expect(spins)
      policy.spun(inVain: false)
    }
  }

  @Test func spinsInVainBecomeRare() {
    var policy = PollPolicy()
    var spins = 0
    for _ in 0..<100_000 where policy.shouldSpin(after: (read: 100, written: 100)) {
      spins += 1
      policy.spun(inVain: true)
    }
    #expect(spins > 100 && spins < 1_000)
  }

  /// A turn that only read, such as a Credit, has no answer to wait for.
  @Test(arguments: [(0, 0), (100, 0), (100, 300_000), (300_000, 100)])
  func itDoesNotSpinWithoutAnAnswerOrAfterBulk(read: Int, written: Int) {
    var policy = PollPolicy()
    let spins = policy.shouldSpin(after: (read, written))
    #expect(!spins)
  }
}
