/// How many bytes a socket may hold unsent (`TCP_NOTSENT_LOWAT`). More would only age there; too few, and a fast link waits for this
/// side: 128 KiB, or what the link takes in a millisecond.
struct UnsentWindow {
  static let least = 131_072
  static let most = 4_194_304

  private(set) var bytes = least
  private var blockedAt: UInt64 = 0

  /// The socket took no more. Time in nanoseconds.
  mutating func blocked(now: UInt64) { blockedAt = now }

  /// It is writable again: half of the window went out meanwhile. Whether the window changed.
  mutating func drained(now: UInt64) -> Bool {
    guard now > blockedAt else { return false }
    let perMillisecond = Int(min(UInt64(bytes / 2) * 1_000_000 / (now - blockedAt), UInt64(Self.most)))
    if perMillisecond >= 2 * bytes, bytes < Self.most {
      bytes *= 2
    } else if perMillisecond <= bytes / 4, bytes > Self.least {
      bytes /= 2
    } else {
      return false
    }
    return true
  }
}
