/// How much of what a client sends is taken at once. What it has the node begin and give up is paid by all who share the loop: a client
/// that cancels many calls gets little in a turn and rests before the next one; a new one begins with little, and its share doubles.
struct ReadPace {
  static let least = 256
  static let most = 32_768
  /// So many calls given up in one read are many.
  static let cancels: UInt64 = 3
  /// So many calls begun in a turn are as many as it has room for: each takes microseconds, and the loop's other connections wait.
  static let calls: UInt64 = 32
  /// Bytes of packets in a turn, payloads left out; then the loop's other connections are next.
  static let turn: UInt64 = 32_768
  /// Of a connection on its way out, bytes thrown away between two rests.
  static let discards: UInt64 = 65_536
  /// Nanoseconds: after that, and after many calls given up.
  static let discardRest: UInt64 = 2_000_000
  static let rest: UInt64 = 1_000_000

  /// For one read.
  private(set) var bytes = least
  private var cancels: UInt64 = 0

  /// After a read: whether the connection rests now. `cancels`: calls given up so far.
  mutating func rests(afterFull isFull: Bool, cancels: UInt64) -> Bool {
    defer { self.cancels = cancels }
    guard cancels - self.cancels < Self.cancels else {
      bytes = Self.least
      return true
    }
    if isFull { bytes = min(2 * bytes, Self.most) }
    return false
  }

  /// After a turn in which so many calls were begun: the next read takes as much as has about as many as a turn has room for.
  mutating func began(_ calls: UInt64) {
    if calls > Self.calls { bytes = max(Self.least, bytes / 4) }
  }
}
