import CaptureSystem

/// How many bytes a socket may hold unsent (`TCP_NOTSENT_LOWAT`): 128 KiB, or what the link takes in a millisecond, if that is more. Further bytes
/// would only age in the socket; with fewer, a fast link would wait for this side.
///
/// Within a machine, the window begins with 1 MiB, so that most frames go out in one write. The first frame that the socket does not take shows
/// whether the link is slow all the same: a tunnel begins within a machine, too.
struct UnsentWindow {
  static let least = 131_072
  static let local = 1_048_576
  static let most = 4_194_304

  private(set) var bytes: Int
  private var blockedAt: UInt64 = 0
  /// How many times in a row the link was fast enough for a window twice as large.
  private var streak = 0

  /// How long a streak has to be before the window grows.
  private static let leastStreak = 16
  /// How much longer the streak has to get before the window grows once more.
  private static let furtherStreak = 4

  init(to peer: SocketAddress) { bytes = peer.isLocal ? Self.local : Self.least }

  /// Notes that the socket took no more. `now` is in nanoseconds.
  mutating func blocked(now: UInt64) { blockedAt = now }

  /// Notes that the socket is writable again: half of the window was sent meanwhile. Returns whether the window changed.
  ///
  /// A slow link takes its first megabyte as fast as a quick one: into its queues. So the window grows only if both rates are high: how fast the
  /// socket takes bytes, and how fast the peer acknowledges them.
  /// - Parameter rate: bytes a second that the peer has acknowledged lately; 0: unknown, and then the window does not grow.
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
