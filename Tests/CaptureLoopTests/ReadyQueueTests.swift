import CaptureSystem
import Testing

@testable import CaptureLoop

@Suite struct ReadyQueueTests {
  private var queue = ReadyQueue()
  private let crowd = LoopAccount()
  private let one = LoopAccount()
  private let other = LoopAccount()

  /// Serves so many, each of which costs so many nanoseconds; their slots.
  private mutating func serve(_ count: Int, costing cost: UInt64) -> [Int] {
    (0..<count).compactMap { _ in
      guard let (slot, account) = queue.next() else { return nil }
      if let account { queue.charge(cost, to: account) }
      return slot
    }
  }

  @Test mutating func sourcesOfOneAccountAreServedInTheOrderInWhichTheyCame() {
    for slot in 0..<600 { queue.add(slot, of: crowd) }
    let first = serve(300, costing: 1_000)
    for slot in 600..<1_000 { queue.add(slot, of: crowd) }
    #expect(first + serve(1_000, costing: 1_000) == Array(0..<1_000))
    #expect(queue.isEmpty && queue.nextAccount() == nil)
  }

  @Test mutating func whatIsOnNobodysAccountIsFirst() {
    queue.add(1, of: crowd)
    queue.add(2, of: nil)
    queue.add(3, of: nil)
    #expect(serve(3, costing: 1) == [2, 3, 1])
  }

  @Test mutating func nobodyWaitsForAnotherAccountsCrowd() {
    for slot in 0..<500 { queue.add(slot, of: crowd) }
    #expect(serve(3, costing: 1_000_000) == [0, 1, 2])
    queue.add(900, of: one)
    #expect(serve(2, costing: 1_000_000) == [900, 3])
  }

  /// By time, not by how often.
  @Test mutating func accountsThatAllWantGetAsMuchOfTheTime() {
    for slot in 0..<1_000 {
      queue.add(slot, of: crowd)
      queue.add(1_000 + slot, of: one)
    }
    var spent: [Int: UInt64] = [:]
    for _ in 0..<400 {
      guard let (slot, account) = queue.next(), let account else { break }
      let cost: UInt64 = slot < 1_000 ? 900 : 100
      queue.charge(cost, to: account)
      spent[slot / 1_000, default: 0] += cost
    }
    #expect(abs(Int(spent[0]!) - Int(spent[1]!)) <= 1_000)
  }

  /// Nor can a crowd wait until it may go before all others for long.
  @Test mutating func whoRestsSavesUpNothing() {
    for slot in 0..<500 { queue.add(slot, of: one) }
    _ = serve(400, costing: 1_000)
    for slot in 500..<1_000 { queue.add(slot, of: crowd) }
    let next = serve(40, costing: 1_000)
    #expect(next.filter { $0 < 500 }.count == 20)
    _ = serve(1_000, costing: 1_000)
    for slot in 0..<100 {
      queue.add(slot, of: other)
      queue.add(1_000 + slot, of: crowd)
    }
    #expect((19...21).contains(serve(40, costing: 1_000).filter { $0 < 1_000 }.count))
  }
}

extension ReadyQueue {
  /// As a loop whose turns serve one.
  fileprivate mutating func next() -> (slot: Int, account: LoopAccount?)? {
    if let slot = nextUnaccounted() { return (slot, nil) }
    guard let account = nextAccount(), let slot = next(of: account) else { return nil }
    return (slot, account)
  }
}
