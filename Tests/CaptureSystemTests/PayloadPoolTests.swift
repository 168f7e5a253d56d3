import CaptureSystem
import Testing

/// A piece that was made for `first` bytes has more than a new one for `second` has not: its capacity says which it is.
@Suite struct PayloadPoolTests {
  private static let (first, second) = (1_000_000, 1_100_000)

  /// Takes pieces of a million bytes, and gives them back in this order.
  private func use(_ pool: PayloadPool, pieces: Int) {
    let payloads = (0..<pieces).map { _ in pool.take(Self.first).finish(count: 1) }
    withExtendedLifetime(payloads) {}
  }

  /// How many of so many new pieces were used before.
  private func reused(_ pool: PayloadPool, of pieces: Int) -> Int {
    let old = PayloadPool(keep: 0).take(Self.first).capacity
    var count = 0
    var held: [Payload] = []
    for _ in 0..<pieces {
      let buffer = pool.take(Self.second)
      if buffer.capacity == old { count += 1 }
      held.append(buffer.finish(count: 0))
    }
    return count
  }

  @Test func aPieceFitsAndIsWrittenWhole() {
    let buffer = PayloadPool().take(10)
    #expect(buffer.capacity >= 10 && buffer.bytes.count == buffer.capacity)
    buffer.bytes.copyBytes(from: [1, 2, 3])
    #expect(buffer.finish(count: 3).bytes == [1, 2, 3])
  }

  @Test func whatWasGivenBackIsUsedAgain() {
    #expect(reused(PayloadPool(), of: 1) == 0)
    let pool = PayloadPool()
    use(pool, pieces: 3)
    #expect(reused(pool, of: 5) == 3)
  }

  @Test func aPieceReturnsWithItsLastReaderOrUnfinished() {
    let pool = PayloadPool()
    var reader: Payload? = pool.take(Self.first).finish(count: 5)
    #expect(reader?.count == 5)
    do { #expect(reused(pool, of: 1) == 0) }
    reader = nil
    #expect(reused(pool, of: 1) == 1)
    let other = PayloadPool()
    do { _ = other.take(Self.first) }
    #expect(reused(other, of: 1) == 1)
  }

  @Test func aPieceServesNoSizeThatWouldWasteMoreThanHalf() {
    let pool = PayloadPool()
    use(pool, pieces: 1)
    let small = pool.take(100_000)
    #expect(small.capacity < 200_000)
    #expect(reused(pool, of: 1) == 1)
  }

  @Test func moreThanItKeepsIsLetGo() {
    let few = PayloadPool(keep: 2)
    use(few, pieces: 4)
    #expect(reused(few, of: 4) == 2)
    let none = PayloadPool(keep: 0)
    use(none, pieces: 2)
    #expect(reused(none, of: 2) == 0)
    let small = PayloadPool(bytes: 10)
    use(small, pieces: 3)
    #expect(reused(small, of: 3) == 1, "one is kept, however long")
  }
}
