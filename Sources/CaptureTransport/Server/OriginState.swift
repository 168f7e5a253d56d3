import CaptureLoop
import CaptureSystem
import CaptureWire
import Synchronization

/// State that the connections of one origin share. It lives as long as one of them does.
final class OriginState: Sendable {
  /// How many handlers run; a handler whose call is over counts until it returns.
  let calls = Atomic<Int>(0)
  /// The origin's account on each loop.
  let accounts: [LoopAccount]
  private let effort = Mutex(LongPacketBudget())

  init(loops: Int) { accounts = (0..<loops).map { _ in LoopAccount() } }

  /// How long a connection rests after a read of this cost, in nanoseconds.
  func rest(after cost: UInt64, now: UInt64) -> UInt64 { effort.withLock { $0.rest(after: cost, now: now) } }
}
