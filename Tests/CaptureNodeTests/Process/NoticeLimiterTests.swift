import CaptureNode
import Testing

@Suite struct NoticeLimiterTests {
  @Test func oneOfAKindASecondIsLetThroughSayingHowManyWereNot() {
    let limiter = NoticeLimiter()
    #expect(limiter.admit("a", at: 5) == 0)
    #expect(limiter.admit("a", at: 6) == nil)
    #expect(limiter.admit("b", at: 6) == 0)
    #expect(limiter.admit("a", at: 1_000_000_004) == nil)
    #expect(limiter.admit("a", at: 1_000_000_005) == 2)
    #expect(limiter.admit("a", at: 2_000_000_005) == 0)
  }

  @Test func aTextSaysHowManyWereNot() {
    let limiter = NoticeLimiter()
    #expect(limiter.admit("gone", of: "a", at: 5) == "gone")
    #expect(limiter.admit("gone", of: "a", at: 6) == nil)
    #expect(limiter.admit("here", of: "a", at: 1_000_000_005) == "here (and 1 before it)")
  }
}
