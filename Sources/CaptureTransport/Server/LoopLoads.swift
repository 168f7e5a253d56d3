/// Chooses one of a node's loops for a new connection. For a few dozen connections one loop costs less, since no two threads wake for a frame; a
/// crowd on one loop would wait for one processor.
///
/// Clients on this machine count a quarter: what they get is not encrypted for the most part, and they need the processors that a second loop would
/// take.
struct LoopLoads {
  /// How many connections from other machines the first loop takes before another loop takes any. Those from this machine count a quarter.
  static let crowd = 64
  /// How many connections from this machine count as one from another machine.
  static let localShare = 4

  /// The load of each loop, in quarters of a connection from another machine.
  private var loads: [Int]

  init(loops: Int) { loads = Array(repeating: 0, count: loops) }

  /// Assigns one more connection to a loop. Returns the loop's index.
  mutating func addConnection(isLocal: Bool) -> Int {
    var place = 0
    if loads[0] >= Self.crowd * Self.localShare {
      for other in loads.indices where loads[other] < loads[place] { place = other }
    }
    loads[place] += Self.load(isLocal)
    return place
  }

  mutating func removeConnection(isLocal: Bool, of loop: Int) { loads[loop] -= Self.load(isLocal) }

  private static func load(_ isLocal: Bool) -> Int { isLocal ? 1 : localShare }
}
