/// Chooses one of a node's loops for a new connection. For a few dozen connections one loop costs less, since no two threads wake for a frame; a crowd
/// on one loop would wait for one processor.
struct LoopLoads {
  /// The first loop takes this many connections before another takes any.
  static let crowd = 64
  private var counts: [Int]

  init(loops: Int) { counts = Array(repeating: 0, count: loops) }

  /// Assigns one more connection to a loop. Returns the loop's index.
  mutating func addConnection() -> Int {
    var place = 0
    if counts[0] >= Self.crowd {
      for other in counts.indices where counts[other] < counts[place] { place = other }
    }
    counts[place] += 1
    return place
  }

  mutating func removeConnection(of loop: Int) { counts[loop] -= 1 }
}
