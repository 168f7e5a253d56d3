/// How many bytes a socket may hold unsent (`TCP_NOTSENT_LOWAT`). More would only age there; too few, and a fast link waits for this
/// side: 128 KiB, or what the link takes in a millisecond.
struct UnsentWindow {
  static let least = 131_072
  static let most = 4_194_304

  private(set) var bytes = least
  private var blockedAt: UInt64 = 0
  /// Times in a row that the link was fast enough for twice as much.
  private var streak = 0

  /// A slow link takes its first megabyte as fast as a quick one: into its queues. So both count, how fast the socket takes what is
  /// written and how fast the peer acknowledges it.
  private static let leastStreak = 16
  private static let furtherStreak = 4

  /// The socket took no more. Time in nanoseconds.
  mutating func blocked(now: UInt64) { blockedAt = now }

  /// It is writable again: half of the window went out meanwhile. Whether the window changed.
  /// - Parameter rate: bytes a second that the peer has acknowledged lately; 0: unknown. What is fast may be queues on the way.
  mutating func drained(now: UInt64, rate: () -> UInt64) -> Bool {
    guard now > blockedAt else { return false }
    let perMillisecond = Int(min(UInt64(bytes / 2) * 1_000_000 / (now - blockedAt), UInt64(Self.most)))
    streak = perMillisecond >= 2 * bytes ? streak + 1 : 0
    if streak >= Self.leastStreak, bytes < Self.most {
      guard rate() / 1_000 >= bytes else {
        streak = 0
        return false
      }
      bytes *= 2
      streak -= Self.furtherStreak
      return true
    }
    guard perMillisecond <= bytes / 4, bytes > Self.least else { return false }
    while perMillisecond <= bytes / 4, bytes > Self.least { bytes /= 2 }
    return true
  }
}
