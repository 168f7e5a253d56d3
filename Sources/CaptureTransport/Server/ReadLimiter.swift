/// Decides how much is read from a client at once. Calls that a client starts and cancels cost every client of the loop time. So the node reads
/// little at a time from a client that cancels many calls, and pauses before the next read. The first read of a connection is small; each read that
/// is filled doubles the size of the next.
struct ReadLimiter {
  /// The least size of one read, in bytes.
  static let leastRead = 256
  /// The largest size of one read, in bytes.
  static let mostRead = 32_768
  /// After so many cancels in one read the connection pauses.
  static let cancelsPerRead: UInt64 = 3
  /// A turn starts at most about this many calls: each takes microseconds, and the loop's other connections wait.
  static let callsPerTurn: UInt64 = 32
  /// After so many bytes of packets, without payloads, a turn reads only the rest of a long envelope. Then the loop's other connections are next.
  static let bytesPerTurn: UInt64 = 32_768
  /// How many bytes of a connection that is about to end are discarded between two pauses.
  static let discardedPerTurn: UInt64 = 65_536
  /// The pause after ``discardedPerTurn`` bytes, in nanoseconds.
  static let discardPause: UInt64 = 2_000_000
  /// The pause after many cancels, in nanoseconds.
  static let cancelPause: UInt64 = 1_000_000

  /// The size of the next read, in bytes.
  private(set) var bytes = leastRead
  private var cancels: UInt64 = 0

  /// Called after a read. Returns whether the connection has to pause. `cancels`: how many calls the client has cancelled so far.
  mutating func needsPause(afterFull isFull: Bool, cancels: UInt64) -> Bool {
    defer { self.cancels = cancels }
    guard cancels - self.cancels < Self.cancelsPerRead else {
      bytes = Self.leastRead
      return true
    }
    if isFull { bytes = min(2 * bytes, Self.mostRead) }
    return false
  }

  /// Called after a turn that started `calls` calls. If those were too many, the next read is smaller.
  mutating func turnStarted(calls: UInt64) {
    if calls > Self.callsPerTurn { bytes = max(Self.leastRead, bytes / 4) }
  }
}
