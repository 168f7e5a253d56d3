import Testing

@testable import CaptureWire

@Suite struct ArenaTests {
  @Test func manyEmptySubmessagesAreRefused() {
    // Two bytes each, and a struct of over 200 bytes unpacked.
    let bytes = [UInt8](repeatElement([0x0a, 0], count: 500_000).joined())
    #expect(throws: WireError("capture.v1.ControlsResponse: takes too much memory for its 1000000 bytes")) {
      try ControlsResponse(bytes)
    }
  }

  @Test func largeHonestMessagesFit() throws {
    let interval = FrameInterval(numerator: 1, denominator: 30)
    let option = SizeOption(
      minimum: Size(width: 1, height: 1), intervals: Array(repeating: interval, count: 100))
    let formats = FormatsResponse(
      formats: Array(repeating: FormatDescription(sizes: Array(repeating: option, count: 100)), count: 10))
    #expect(try FormatsResponse(formats.encoded()) == formats)

    let envelope = Envelope(kind: .message(Message(body: Array(repeating: 7, count: 4 << 20))))
    #expect(try Envelope(envelope.encoded()) == envelope)
  }

  @Test func theBudgetGrowsWithTheInputUpToItsCap() {
    #expect(Arena.decodingBudget(0) == 64 << 10)
    #expect(Arena.decodingBudget(1000) == 64_000 + 64 << 10)
    #expect(Arena.decodingBudget(1 << 40) == 10 << 20)
  }

  @Test func allocationsAreAlignedAndDoNotOverlap() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
      var arena = Arena(in: memory)
      var taken: [Range<UInt>] = []
      for count in [0, 1, 8, 9, 63, 64, 65, 100_000, 3, 16 << 10, 16_376, 16_377, 0] {
        let start = UInt(bitPattern: arena.allocate(count)!)
        #expect(start % 8 == 0)
        let range = start..<start + UInt(max(count, 1))
        #expect(!taken.contains { $0.overlaps(range) })
        taken.append(range)
      }
    }
  }

  @Test func nothingIsHandedOutPastTheBudget() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
      var arena = Arena(in: memory, budget: 24)
      let (first, exhaustedBefore) = (arena.allocate(17), arena.isExhausted)
      let (second, exhaustedAfter) = (arena.allocate(1), arena.isExhausted)
      #expect(first != nil && !exhaustedBefore)
      #expect(second == nil && exhaustedAfter)
    }
  }
}
