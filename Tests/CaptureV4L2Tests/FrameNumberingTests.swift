import Testing

@testable import CaptureV4L2

struct FrameNumberingTests {
  @Test func beginsAtZeroWhateverTheDriverBeginsWith() {
    var numbering = FrameNumbering()
    #expect(numbering.take(17) == (0, 0))
    #expect(numbering.take(18) == (1, 0))
  }

  @Test func countsWhatTheDriverSkipped() {
    var numbering = FrameNumbering()
    _ = numbering.take(0)
    #expect(numbering.take(4) == (4, 3))
    #expect(numbering.take(5) == (5, 0))
  }

  @Test func goesOnWhenTheDriversNumbersWrap() {
    var numbering = FrameNumbering()
    #expect(numbering.take(.max - 1) == (0, 0))
    #expect(numbering.take(.max) == (1, 0))
    #expect(numbering.take(0) == (2, 0))
    #expect(numbering.take(2) == (4, 1))
  }

  @Test func goesOnOverARestart() {
    var numbering = FrameNumbering()
    _ = numbering.take(0)
    _ = numbering.take(1)
    numbering.restart()
    #expect(numbering.take(0) == (2, 0))
  }

  @Test(arguments: [7, 3] as [UInt32])
  func aNumberThatDoesNotRiseIsNoLoss(number: UInt32) {
    var numbering = FrameNumbering()
    _ = numbering.take(7)
    #expect(numbering.take(number) == (1, 0))
  }
}
