/// Decides how much is read from a client at once. Calls that a client starts and cancels cost every client of the loop time. So the node reads little at
/// a time from a client that cancels many calls, and rests before the next turn. The first read of a connection is small, and each further one doubles.
struct ReadLimiter {
  static let least = 256
  static let most = 32_768
  /// This many calls given up in one read are many.
  static let cancels: UInt64 = 3
  /// A turn starts at most about this many calls: each takes microseconds, and the loop's other connections wait.
  static let calls: UInt64 = 32
  /// How many bytes of packets, without payloads, a turn reads. Then the loop's other connections are next.
  static let turn: UInt64 = 32_768
  /// How many bytes of a connection that is about to end are discarded between two rests.
  static let discards: UInt64 = 65_536
  /// The rest after that, and the rest after many calls were given up, in nanoseconds.
  static let discardRest: UInt64 = 2_000_000
  static let rest: UInt64 = 1_000_000

  /// The size of one read.
  private(set) var bytes = least
  private var cancels: UInt64 = 0

  /// Called after a read. Returns whether the connection rests now. `cancels`: calls given up so far.
  mutating func rests(afterFull isFull: Bool, cancels: UInt64) -> Bool {
    defer { self.cancels = cancels }
    guard cancels - self.cancels < Self.cancels else {
      bytes = Self.least
      return true
    }
    if isFull { bytes = min(2 * bytes, Self.most) }
    return false
  }

  /// Called after a turn that started `calls` calls. If those were too many, the next read is smaller.
  mutating func turnStarted(calls: UInt64) {
    if calls > Self.calls { bytes = max(Self.least, bytes / 4) }
  }
}
