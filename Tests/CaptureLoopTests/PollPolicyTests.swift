import Testing

@testable import CaptureLoop

@Suite struct PollPolicyTests {
  @Test func itLooksAgainAfterEachLookThatPaid() {
    var policy = PollPolicy()
    for _ in 0..<10 {
      let looks = policy.looks(after: (read: 100, written: 100))
      #expect(looks)
      policy.looked(inVain: false)
    }
  }

  @Test func looksInVainBecomeRare() {
    var policy = PollPolicy()
    var looks = 0
    for _ in 0..<100_000 where policy.looks(after: (read: 100, written: 100)) {
      looks += 1
      policy.looked(inVain: true)
    }
    #expect(looks > 100 && looks < 1_000)
  }

  /// What is only read, as Credit is, has no answer to look for.
  @Test(arguments: [(0, 0), (100, 0), (100, 300_000), (300_000, 100)])
  func itDoesNotLookWithoutAnAnswerOrAfterBulk(read: Int, written: Int) {
    var policy = PollPolicy()
    let looks = policy.looks(after: (read, written))
    #expect(!looks)
  }
}
