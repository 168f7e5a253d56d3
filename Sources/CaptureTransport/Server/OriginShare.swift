import CaptureSystem
import CaptureWire
import Synchronization

/// What the connections of one origin have together. It lives as long as one of them does.
final class OriginShare: Sendable {
  /// Handlers that run, those of calls that are over counted until they return.
  let calls = Atomic<Int>(0)
  /// Its part of each loop's time.
  let accounts: [LoopAccount]
  private let effort = Mutex(EffortBudget())

  init(loops: Int) { accounts = (0..<loops).map { _ in LoopAccount() } }

  /// How long a connection rests whose read has cost so much, nanoseconds.
  func rest(after cost: UInt64, now: UInt64) -> UInt64 { effort.withLock { $0.rest(after: cost, now: now) } }
}
