/// Which of a node's loops a new connection lives on. One loop serves a few dozen for less, since no two threads wake for a frame; a crowd
/// on one would wait for one processor.
struct LoopShares {
  /// So many are on the first loop before another takes any.
  static let crowd = 64
  private var counts: [Int]

  init(loops: Int) { counts = Array(repeating: 0, count: loops) }

  /// The loop for one more.
  mutating func take() -> Int {
    var place = 0
    if counts[0] >= Self.crowd {
      for other in counts.indices where counts[other] < counts[place] { place = other }
    }
    counts[place] += 1
    return place
  }

  /// One of that loop is gone.
  mutating func giveBack(_ place: Int) { counts[place] -= 1 }
}
