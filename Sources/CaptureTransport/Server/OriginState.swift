import CaptureLoop
import CaptureSystem
import CaptureWire
import Synchronization

/// The common state of all connections of one origin. It lives as long as one of them does.
final class OriginState: Sendable {
  /// How many handlers run; a handler whose call is over counts until it returns.
  let calls = Atomic<Int>(0)
  /// The origin's account on each loop.
  let accounts: [LoopAccount]
  private let longPackets = Mutex(LongPacketBudget())

  init(loops: Int) { accounts = (0..<loops).map { _ in LoopAccount() } }

  /// How long a connection pauses after a read of this cost, in nanoseconds.
  func pause(after cost: UInt64, now: UInt64) -> UInt64 {
    longPackets.withLock { $0.pause(after: cost, now: now) }
  }
}
