/// Whose time a loop spends: that of all connections of one origin, as a rule. Confined to its loop.
///
/// Unchecked: touched on the loop's thread only.
package final class LoopAccount: @unchecked Sendable {
  /// Nanoseconds, counted from what others had when it last had nothing to do.
  fileprivate(set) var spent: UInt64 = 0
  fileprivate var waiting = SlotLine()

  package init() {}
}

/// Sources that are ready at once, and who of them is next: those that are on nobody's account, then those of the account that has had the
/// least of the loop's time, each account's in the order in which they came. So a crowd of one origin waits for itself, not another for it.
///
/// Pure: what was spent is told (``charge(_:to:)``).
struct ReadyQueue {
  private var unaccounted = SlotLine()
  /// Accounts for which something waits.
  private var active: [LoopAccount] = []
  /// What the latest that was served had spent until then. An account that had nothing to do for a while begins there: who rests saves up nothing.
  private var reached: UInt64 = 0

  var isEmpty: Bool { unaccounted.isEmpty && active.isEmpty }

  /// The caller adds none that waits already.
  mutating func add(_ slot: Int, of account: LoopAccount?) {
    guard let account else { return unaccounted.append(slot) }
    if account.waiting.isEmpty {
      account.spent = max(account.spent, reached)
      active.append(account)
    }
    account.waiting.append(slot)
  }

  mutating func nextUnaccounted() -> Int? { unaccounted.removeFirst() }

  /// The account that has had the least of those for which something waits.
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

  /// So many nanoseconds went to an account.
  func charge(_ nanoseconds: UInt64, to account: LoopAccount) { account.spent &+= nanoseconds }
}

/// First in, first out; memory only for what waits.
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
