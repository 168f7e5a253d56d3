import CaptureModel
import CaptureWire

/// Counts a node's connections, and decides which it serves. Those that have not identified themselves have a pool of their own: they never take the
/// place of a known caller.
struct Admission {
  private struct Counts {
    var all = 0
    var known = 0
    let state: OriginState
  }
  private struct WeakState {
    weak var state: OriginState?
  }
  private let limits: NodeLimits
  private let loops: Int
  /// Connections that have not said who they are, in the order in which they came.
  private var unknown: [(id: UInt64, origin: Origin)] = []
  private var known: Set<UInt64> = []
  private var origins: [Origin: Counts] = [:]
  /// The states of origins that have no connection, but handlers that have not returned. These keep their connections, and so the states.
  private var left: [Origin: WeakState] = [:]

  init(limits: NodeLimits, loops: Int) { (self.limits, self.loops) = (limits, loops) }

  /// Takes a new connection. `isKnown`: it does not have to identify itself. Returns the reason if it is not served, or else the connection
  /// that is closed to make room, if any.
  mutating func take(_ id: UInt64, of origin: Origin, isKnown: Bool) -> (
    refusal: ProtocolViolation?, evicted: UInt64?
  ) {
    var evicted: UInt64?
    if isKnown {
      if let refusal = refusal(of: origin) { return (refusal, nil) }
      known.insert(id)
    } else {
      let same = unknown.count { $0.origin == origin }
      guard same < NodeLimit.unknownConnectionsPerAddress.usual else {
        return (
          ProtocolViolation(
            .resourceExhausted,
            "\(same) connections of \(origin) have not said who they are; no more are taken meanwhile (unknownConnectionsPerAddress)",
            NodeLimit.unknownConnectionsPerAddress.details()), nil
        )
      }
      if unknown.count >= NodeLimit.unknownConnections.usual {
        let (most, oldest) = Self.mostCrowded(unknown)
        // A new connection of the most crowded origin is refused. If it pushed out an older one of that origin, all of them would begin to identify
        // themselves, and none would finish. A connection of an origin that has no other unknown connection is taken in any case.
        guard same == 0 || same + 1 < most else {
          return (
            ProtocolViolation(
              .resourceExhausted,
              "too many connections have not said who they are, \(same) of \(origin) among them; no more of it are taken meanwhile (unknownConnections)",
              NodeLimit.unknownConnections.details()), nil
          )
        }
        evicted = oldest
        unknown.removeAll { $0.id == oldest }
      }
      unknown.append((id, origin))
    }
    if origins[origin] == nil {
      let state = left.removeValue(forKey: origin)?.state ?? OriginState(loops: loops)
      origins[origin] = Counts(state: state)
    }
    origins[origin]!.all += 1
    if isKnown { origins[origin]!.known += 1 }
    return (nil, evicted)
  }

  /// Notes that a connection has identified itself. If there are too many known connections, it stays unknown, and this returns the reason.
  mutating func identify(_ id: UInt64, of origin: Origin) -> ProtocolViolation? {
    guard !known.contains(id), origins[origin] != nil else { return nil }
    if let refusal = refusal(of: origin) { return refusal }
    unknown.removeAll { $0.id == id }
    known.insert(id)
    origins[origin]!.known += 1
    return nil
  }

  /// Notes that a connection that was taken has ended.
  mutating func forget(_ id: UInt64, of origin: Origin) {
    unknown.removeAll { $0.id == id }
    if known.remove(id) != nil { origins[origin]?.known -= 1 }
    origins[origin]?.all -= 1
    guard let state = origins[origin]?.state, origins[origin]?.all == 0 else { return }
    origins[origin] = nil
    left = left.filter { $0.value.state != nil }
    if state.hasRunningCalls { left[origin] = WeakState(state: state) }
  }

  /// The state of an origin that has a connection.
  func state(of origin: Origin) -> OriginState? { origins[origin]?.state }

  /// The origin of a connection that has not said who it is; `nil`: it has.
  func unknownOrigin(of id: UInt64) -> Origin? { unknown.first { $0.id == id }?.origin }

  /// Why no further known connection of an origin is served; `nil`: one more is.
  private func refusal(of origin: Origin) -> ProtocolViolation? {
    if known.count >= limits[.connections] {
      return ProtocolViolation(
        .resourceExhausted,
        "this node serves at most \(limits[.connections]) connections at once, and has so many (connections)",
        NodeLimit.connections.details(bound: limits[.connections]))
    }
    guard origins[origin]?.known ?? 0 >= limits[.connectionsPerAddress] else { return nil }
    return ProtocolViolation(
      .resourceExhausted,
      "this node serves at most \(limits[.connectionsPerAddress]) connections of one address at once, and has so many of \(origin) (connectionsPerAddress)",
      NodeLimit.connectionsPerAddress.details(bound: limits[.connectionsPerAddress]))
  }

  /// Finds the origin, or the origins, with the most unknown connections. Returns how many each of them has, and the oldest of these connections. So
  /// a crowd from few addresses pushes out nobody else.
  private static func mostCrowded(_ unknown: [(id: UInt64, origin: Origin)]) -> (most: Int, oldest: UInt64) {
    let counts = Dictionary(unknown.map { ($0.origin, 1) }, uniquingKeysWith: +)
    let most = counts.values.max() ?? 0
    return (most, unknown.first { counts[$0.origin] == most }!.id)
  }
}
