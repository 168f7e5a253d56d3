import CaptureModel
import Testing

@testable import CaptureNode

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

  @Test func kindsThatCameLongAgoAreForgotten() {
    let (limiter, most) = (NoticeLimiter(), NodeLimit.noticeKinds.usual)
    for number in 0..<3 * most {
      #expect(limiter.admit("\(number)", at: UInt64(number) * 1_000_000_000) == 0)
      #expect(limiter.count <= most)
    }
    // The last one's second is not over.
    #expect(limiter.admit("\(3 * most - 1)", at: UInt64(3 * most) * 1_000_000_000 - 1) == nil)
  }

  @Test func furtherKindsOfOneSecondAreOne() {
    let (limiter, most) = (NoticeLimiter(), NodeLimit.noticeKinds.usual)
    for number in 0..<most - 1 { #expect(limiter.admit("\(number)", at: 5) == 0) }
    #expect(limiter.admit("further", at: 6) == 0)
    for number in most..<2 * most { #expect(limiter.admit("\(number)", at: 7) == nil) }
    #expect(limiter.count == most)
    // Those that have a place keep it.
    #expect(limiter.admit("0", at: 8) == nil)
    // The second of all but the further ones is over, and a new kind has a place again.
    #expect(limiter.admit("new", at: 1_000_000_005) == 0)
    #expect(limiter.count == 2)
    #expect(limiter.admit("0", at: 1_000_000_005) == 0)
  }

  @Test func aTextSaysHowManyWereNot() {
    let limiter = NoticeLimiter()
    #expect(limiter.admit("gone", of: "a", at: 5) == "gone")
    #expect(limiter.admit("gone", of: "a", at: 6) == nil)
    #expect(limiter.admit("here", of: "a", at: 1_000_000_005) == "here (and 1 before it)")
  }
}
