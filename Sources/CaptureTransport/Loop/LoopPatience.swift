/// Whether a loop looks for the next event for a moment before it sleeps: waking up costs more than many answers take to come.
///
/// While calls go back and forth it does. Each look in vain makes it sleep at once for longer: for one event, then two, four, up to
/// 128. So a loop that is idle, or whose events come by the clock, takes hardly more CPU than without; one whose peer was only slow for a
/// while soon looks again.
struct LoopPatience {
  /// How long it looks, nanoseconds: longer than a peer takes to wake up and to answer. Else two that sleep would both look in vain for ever.
  static let look: UInt64 = 120_000
  /// A turn that moved more is part of a bulk stream: its peer is busy with the bytes. One that wrote nothing has asked and answered nothing,
  /// such as one that read a reader's Credit.
  static let bulk = 16_384
  private static let most = 128

  private var penalty = 1
  private var skipped = 0

  /// Whether to look now, after a turn that read and wrote so many bytes.
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
