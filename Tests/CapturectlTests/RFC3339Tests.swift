import Testing

@testable import capturectl

@Suite struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:01.5Z", 1_500_000_000), ("1970-01-01T01:00:00+01:00", 0),
    ("1969-12-31T23:30:00-00:30", 0), ("2026-12-31T23:59:59.123456789Z", 1_798_761_599_123_456_789),
  ]) func timesAreRead(text: String, nanoseconds: Int64) {
    #expect(RealTime.nanoseconds(rfc3339: text) == nanoseconds)
  }

  @Test(arguments: [
    "", "now", "2026-12-31", "2026-12-31T23:59:59", "2026-02-30T00:00:00Z", "2026-12-31T23:59:59.Z",
    "2026-12-31T23:59:59+1:00", "2026-12-31T23:59:59Zulu", "2026-12-31 23:59:59Z",
  ]) func whatIsNoTimeIsNot(text: String) {
    #expect(RealTime.nanoseconds(rfc3339: text) == nil)
  }
}
