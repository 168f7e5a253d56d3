/// How much a client's connection reads at once. What it has the node begin and give up is paid by all who share the loop: a client
/// that cancels calls gets little in a turn, as does one that is new; from there on its share doubles.
struct ReadPace {
  static let least = 512
  static let most = 32_768

  /// For one read.
  private(set) var bytes = least
  private var cancels: UInt64 = 0

  /// After a read that was full. Whether there may be another one in this turn. `cancels`: calls given up so far.
  mutating func goesOn(cancels: UInt64) -> Bool {
    defer { self.cancels = cancels }
    guard cancels == self.cancels else {
      bytes = Self.least
      return false
    }
    bytes = min(2 * bytes, Self.most)
    return true
  }
}
