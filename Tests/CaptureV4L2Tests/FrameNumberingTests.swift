import Testing

@testable import CaptureV4L2

struct FrameNumberingTests {
  @Test func beginsAtZeroWhateverTheDriverBeginsWith() throws {
    var numbering = FrameNumbering()
    try #expect(numbering.takes(17) == (0, 0))
    try #expect(numbering.takes(18) == (1, 0))
  }

  @Test func countsWhatTheDriverSkipped() throws {
    var numbering = FrameNumbering()
    _ = try numbering.takes(0)
    try #expect(numbering.takes(4) == (4, 3))
    try #expect(numbering.takes(5) == (5, 0))
  }

  @Test func goesOnWhenTheDriversNumbersWrap() throws {
    var numbering = FrameNumbering()
    try #expect(numbering.takes(.max - 1) == (0, 0))
    try #expect(numbering.takes(.max) == (1, 0))
    try #expect(numbering.takes(0) == (2, 0))
    try #expect(numbering.takes(2) == (4, 1))
  }

  @Test func goesOnOverARestart() throws {
    var numbering = FrameNumbering()
    _ = try numbering.takes(0)
    _ = try numbering.takes(1)
    numbering.restart()
    try #expect(numbering.takes(0) == (2, 0))
  }

  @Test(arguments: [7, 3] as [UInt32])
  func aNumberThatDoesNotRiseIsNoLoss(number: UInt32) throws {
    var numbering = FrameNumbering()
    _ = try numbering.takes(7)
    try #expect(numbering.takes(number) == (1, 0))
  }

  @Test func aFrameAfterItsSuccessorIsNone() throws {
    var numbering = FrameNumbering()
    try #expect(numbering.takes(1, timestamp: 20) == (0, 0))
    #expect(numbering.take(0, timestamp: 10) == nil)
    try #expect(numbering.takes(4, timestamp: 50) == (3, 2))
    #expect(numbering.take(3, timestamp: 40) == nil)
    try #expect(numbering.takes(5, timestamp: 60) == (4, 0))
  }

  @Test func aDriverThatBeginsAnewGoesOn() throws {
    var numbering = FrameNumbering()
    try #expect(numbering.takes(4, timestamp: 50) == (0, 0))
    try #expect(numbering.takes(0, timestamp: 60) == (1, 0))
    try #expect(numbering.takes(40, timestamp: 70) == (41, 39))
    // Its clock too: no frame is overtaken by forty.
    try #expect(numbering.takes(0, timestamp: 10) == (42, 0))
  }
}

extension FrameNumbering {
  fileprivate mutating func takes(_ native: UInt32, timestamp: UInt64 = 0) throws -> (UInt64, UInt64) {
    try #require(take(native, timestamp: timestamp))
  }
}
