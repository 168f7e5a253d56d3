/// Counts how much of the loop's time is spent on one party: as a rule, on all connections of one origin. Confined to its loop.
///
/// Unchecked: only the loop's thread touches it.
package final class LoopAccount: @unchecked Sendable {
  /// In nanoseconds. After a pause the count goes on from ``ReadyQueue/reached``, if that is more.
  fileprivate(set) var spent: UInt64 = 0
  fileprivate var waiting = SlotLine()

  package init() {}
}

/// Orders the sources that are ready at once. Those without an account come first. Then come those of the account that has had the least of the
/// loop's time. Sources of one account come in the order in which they became ready. So a crowd of one origin waits for itself, and others do not
/// wait for it.
///
/// Pure: the caller reports the time that was spent (``charge(_:to:)``).
struct ReadyQueue {
  private var unaccounted = SlotLine()
  /// The accounts for which a source waits.
  private var active: [LoopAccount] = []
  /// The most time that an account had spent when it was served. An account that comes back after a pause starts from here, so a pause saves up no
  /// time.
  private var reached: UInt64 = 0

  var isEmpty: Bool { unaccounted.isEmpty && active.isEmpty }

  /// Adds a source. The caller adds none that waits already.
  mutating func add(_ slot: Int, of account: LoopAccount?) {
    guard let account else { return unaccounted.append(slot) }
    if account.waiting.isEmpty {
      account.spent = max(account.spent, reached)
      active.append(account)
    }
    account.waiting.append(slot)
  }

  mutating func nextUnaccounted() -> Int? { unaccounted.removeFirst() }

  /// Returns the account that has had the least time, of those for which a source waits.
  mutating func nextAccount() -> LoopAccount? {
    guard var account = active.first else { return nil }
    for other in active.dropFirst() where other.spent < account.spent { account = other }
    reached = max(reached, account.spent)
    return account
  }

  mutating func next(of account: LoopAccount) -> Int? {
    let slot = account.waiting.removeFirst()
    if slot != nil, account.waiting.isEmpty { active.removeAll { $0 === account } }
    return slot
  }

  /// Charges so many nanoseconds to an account.
  func charge(_ nanoseconds: UInt64, to account: LoopAccount) { account.spent &+= nanoseconds }
}

/// Slots that wait: first in, first out. It takes memory only for sources that wait.
private struct SlotLine {
  private var slots: [Int] = []
  private var start = 0

  var isEmpty: Bool { start == slots.count }

  mutating func append(_ slot: Int) { slots.append(slot) }

  mutating func removeFirst() -> Int? {
    guard start < slots.count else { return nil }
    defer {
      start += 1
      if start == slots.count {
        slots.removeAll(keepingCapacity: slots.count <= 64)
        start = 0
      } else if start >= 256, 2 * start >= slots.count {
        slots.removeFirst(start)
        start = 0
      }
    }
    return slots[start]
  }
}
