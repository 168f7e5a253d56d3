import Testing

@testable import CaptureTransport

/// A right that ends a week from now, at a node whose clock is set meanwhile.
@Suite struct ConnectionExpiryTests {
  private static let start: Int64 = 1_760_000_000
  private static let week: Int64 = 7 * 86_400
  private static let years: Int64 = 20 * 365 * 86_400
  private static let minute: UInt64 = 60_000_000_000

  private func expiry() -> Expiry { Expiry(at: Self.start + Self.week, utc: Self.start, now: 5) }

  @Test func itEndsToTheSecond() {
    var (expiry, now, utc) = (expiry(), UInt64(5), Self.start)
    while !expiry.hasCome(utc: utc, now: now) {
      #expect(utc < Self.start + Self.week && expiry.due > now && expiry.due - now <= Self.minute)
      utc += Int64((expiry.due - now) / 1_000_000_000)
      now = expiry.due
    }
    #expect(utc == Self.start + Self.week)
  }

  @Test func aClockThatIsSetForthEndsItWithinAMinute() {
    var expiry = expiry()
    #expect(expiry.due <= 5 + Self.minute)
    let hasCome = expiry.hasCome(utc: Self.start + Self.years, now: expiry.due)
    #expect(hasCome)
  }

  @Test func aClockThatIsSetBackDefersIt() {
    var expiry = expiry()
    for utc in [Self.start - Self.years, 0, -1] {
      let now = expiry.due
      #expect(!expiry.hasCome(utc: utc, now: now) && expiry.due == now + Self.minute)
    }
    // And forth again.
    let now = expiry.due
    #expect(!expiry.hasCome(utc: Self.start + Self.week - 1, now: now) && expiry.due == now + 1_000_000_000)
    let hasCome = expiry.hasCome(utc: Self.start + Self.week, now: expiry.due)
    #expect(hasCome)
  }

  /// What a damaged file may have.
  @Test(arguments: [Int64.min, -1, 0, .max]) func anyNumberIsATime(end: Int64) {
    for utc in [-1, Self.start] {
      var expiry = Expiry(at: end, utc: utc, now: 5)
      #expect(expiry.hasCome(utc: utc, now: 5) == (end <= utc))
    }
  }
}
