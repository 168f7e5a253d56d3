import CaptureSystem

/// Decides whether a loop polls for the next event for a moment before it sleeps. Waking up takes longer than many answers do.
///
/// To poll without sleep is to *spin*. A loop spins while calls go back and forth. Each time that it spins in vain, it spins half as often from then
/// on: before every second sleep, every fourth, down to every 128th. So a loop that is idle, or whose events come by the clock, takes hardly more CPU
/// than without spinning. A loop whose peer was slow only for a while soon spins again.
struct PollPolicy {
  /// How long a loop spins, in nanoseconds: longer than a peer takes to wake up and to answer. With less, two loops that both sleep would always spin
  /// in vain.
  static let spinTime: UInt64 = 120_000
  /// A turn that moved so many bytes or more is part of a bulk stream, whose peer is busy with them.
  static let bulk = 16_384
  private static let most = 128

  private var penalty = 1
  private var skipped = 0

  /// Whether to spin now, after a turn that read and wrote so many bytes. After a turn that wrote nothing there is no answer to wait for: it may only
  /// have read a Credit.
  mutating func shouldSpin(after moved: (read: Int, written: Int)) -> Bool {
    guard moved.written > 0, moved.read + moved.written < Self.bulk else { return false }
    guard skipped >= penalty - 1 else {
      skipped += 1
      return false
    }
    skipped = 0
    return true
  }

  /// Notes that the loop has spun.
  mutating func spun(inVain: Bool) {
    penalty = inVain ? min(2 * penalty, Self.most) : max(penalty / 2, 1)
  }
}

extension LoopPoll {
  /// Polls for a moment without sleep, where an answer may be on its way. Returns how many sources are ready. `isCalled`: whether other threads have
  /// sent work meanwhile.
  func spin(after moved: (read: Int, written: Int), isCalled: () -> Bool) -> Int {
    guard policy.shouldSpin(after: moved) else { return 0 }
    let end = MonotonicClock.now() + PollPolicy.spinTime
    repeat {
      let count = wait(nanoseconds: 0)
      if count > 0 || isCalled() {
        policy.spun(inVain: false)
        return count
      }
    } while MonotonicClock.now() < end
    policy.spun(inVain: true)
    return 0
  }
}
