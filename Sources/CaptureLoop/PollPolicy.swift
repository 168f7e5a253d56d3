import CaptureSystem

/// Decides whether a loop polls for the next event for a moment before it sleeps. Waking up takes longer than many answers do.
///
/// A loop polls while calls go back and forth. After each poll in vain it sleeps at once for more events: for one, then two, four, up to 128. So a loop
/// that is idle, or whose events come by the clock, takes hardly more CPU than without polling. One whose peer was slow only for a while soon polls
/// again.
struct PollPolicy {
  /// How long it polls, in nanoseconds: longer than a peer takes to wake up and to answer. Otherwise two loops that sleep would both poll in vain for
  /// ever.
  static let look: UInt64 = 120_000
  /// A turn that moved more bytes is part of a bulk stream, whose peer is busy with them. A turn that wrote nothing has asked and answered nothing,
  /// such as one that read a reader's Credit.
  static let bulk = 16_384
  private static let most = 128

  private var penalty = 1
  private var skipped = 0

  /// Whether to poll now, after a turn that read and wrote so many bytes.
  mutating func looks(after moved: (read: Int, written: Int)) -> Bool {
    guard moved.written > 0, moved.read + moved.written < Self.bulk else { return false }
    guard skipped >= penalty - 1 else {
      skipped += 1
      return false
    }
    skipped = 0
    return true
  }

  mutating func looked(inVain: Bool) {
    penalty = inVain ? min(2 * penalty, Self.most) : max(penalty / 2, 1)
  }
}

extension LoopPoll {
  /// Polls for a moment without sleeping, where an answer may be on its way. Returns how many sources are ready. `isCalled`: whether other threads have
  /// sent work meanwhile.
  func look(after moved: (read: Int, written: Int), isCalled: () -> Bool) -> Int {
    guard policy.looks(after: moved) else { return 0 }
    let end = MonotonicClock.now() + PollPolicy.look
    repeat {
      let count = wait(nanoseconds: 0)
      if count > 0 || isCalled() {
        policy.looked(inVain: false)
        return count
      }
    } while MonotonicClock.now() < end
    policy.looked(inVain: true)
    return 0
  }
}
