import CaptureModel
import CaptureSystem
import CaptureWire
import Synchronization

/// The node's side of the wire: listeners, their connections, and the services that answer.
public final class NodeServer: Sendable {
  private struct Shared {
    var listeners: [Listener] = []
    var connections: [UInt64: ServerConnection] = [:]
    var perOrigin: [Origin: (connections: Int, share: OriginState)] = [:]
    var shares: LoopShares
    var clientsTotal: UInt64 = 0
    var nextID: UInt64 = 1
    var isDraining = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let services: ServiceTable
  private let configuration: NodeConfiguration
  private let loops: [TransportLoop]
  private let pool = PayloadPool(keep: 4)
  private let counters = NodeCounters()
  private let cancels: Mutex<OriginBudgets>
  private let refusals: Refusals
  private let shared: Mutex<Shared>

  public init(services: [any ServiceHandler], configuration: NodeConfiguration = NodeConfiguration()) {
    self.services = ServiceTable(services)
    self.configuration = configuration
    loops = (0..<max(1, min(configuration.loops, 2))).map {
      TransportLoop(label: "capture.transport.node\($0)")
    }
    shared = Mutex(Shared(shares: LoopShares(loops: loops.count)))
    refusals = Refusals(on: loops[0])
    let limits = configuration.limits
    cancels = Mutex(
      OriginBudgets(
        burst: limits[.cancelBurstPerAddress], perSecond: limits[.cancelsPerSecondPerAddress]))
  }

  /// Listens on one more address. Returns the address, with the real port in place of port 0.
  public func listen(on address: SocketAddress) throws -> SocketAddress {
    var address = address
    if case .name = address { address = try address.resolved()[0] }
    let listener = try Listener(address, unixMode: configuration.unixMode, on: loops[0]) {
      [weak self] socket, peer in
      self?.accept(socket, peer)
    }
    shared.withLock { $0.listeners.append(listener) }
    loops[0].serial.async { listener.assumeIsolated { $0.start() } }
    return listener.address
  }

  /// The counters of the transport.
  public var statistics: NodeStatistics {
    var statistics = NodeStatistics()
    shared.withLock { shared in
      statistics.clients = shared.connections.count
      statistics.clientsTotal = shared.clientsTotal
    }
    statistics.clientsRefused = counters.refused.load(ordering: .relaxed)
    statistics.calls = counters.running.load(ordering: .relaxed)
    statistics.callsTotal = counters.calls.load(ordering: .relaxed)
    statistics.callsFailed = counters.failed.load(ordering: .relaxed)
    statistics.discarded = counters.discarded.load(ordering: .relaxed)
    statistics.bytesSent = counters.sent.load(ordering: .relaxed)
    statistics.bytesReceived = counters.received.load(ordering: .relaxed)
    return statistics
  }

  // MARK: Connections

  private func accept(_ socket: consuming OwnedDescriptor, _ peer: SocketAddress) {
    let origin = Origin(peer, socket.raw)
    let name = if case .unix = peer { "unix" } else { peer.description }
    let (id, refusal) = admit(origin)
    if let refusal {
      if refusal.code != .unavailable {
        configuration.report(ServerNotice(kind: .refused, text: "client \(id) (\(name)): \(refusal.text)"))
      }
      let refused = SharedDescriptor(socket)
      return refusals.onLoop { $0.refuse(refused, refusal) }
    }
    // This fails where the peer has gone already; reading will find that.
    try? Sockets.tune(socket.raw, peer)
    let (place, share) = shared.withLock {
      ($0.shares.take(), $0.perOrigin[origin]?.share ?? OriginState(loops: loops.count))
    }
    let connection = ServerConnection(
      id: id, peer: name, stream: SocketStream(socket, to: peer, account: share.accounts[place]),
      loop: loops[place], services: services, configuration: configuration, pool: pool, counters: counters,
      share: share
    ) { [weak self] count, now in
      self?.takeCancels(count, of: origin, now)
    } closed: { [weak self] connection in
      self?.forget(connection.id, origin, place)
    }
    shared.withLock { $0.connections[id] = connection }
    loops[place].serial.async { connection.start() }
  }

  /// Counts a new connection. Returns its number, and the reason if it is not served.
  private func admit(_ origin: Origin) -> (UInt64, ProtocolViolation?) {
    let limits = configuration.limits
    return shared.withLock { shared in
      let id = shared.nextID
      shared.nextID += 1
      var reason: ProtocolViolation?
      if shared.isDraining {
        reason = ProtocolViolation(.unavailable, "the node is shutting down", .init(.nodeDraining))
      } else if shared.connections.count >= limits[.connections] {
        reason = ProtocolViolation(
          .resourceExhausted,
          "this node serves \(limits[.connections]) connections at once, and has them (connections)",
          NodeLimit.connections.details(bound: limits[.connections]))
      } else if shared.perOrigin[origin]?.connections ?? 0 >= limits[.connectionsPerAddress] {
        reason = ProtocolViolation(
          .resourceExhausted,
          "this node serves \(limits[.connectionsPerAddress]) connections of one address at once, and has them of \(origin) (connectionsPerAddress)",
          NodeLimit.connectionsPerAddress.details(bound: limits[.connectionsPerAddress])
        )
      }
      if reason == nil {
        shared.clientsTotal += 1
        shared.perOrigin[origin, default: (0, OriginState(loops: loops.count))].connections += 1
      } else {
        counters.refused.wrappingAdd(1, ordering: .relaxed)
      }
      return (id, reason)
    }
  }

  /// Takes so many cancels from the origin's budget. Returns the error where fewer are left, otherwise `nil`.
  private func takeCancels(_ count: Int, of origin: Origin, _ now: UInt64) -> ProtocolViolation? {
    guard !cancels.withLock({ $0.take(count, of: origin.description, now: now) }) else { return nil }
    let limits = configuration.limits
    return ProtocolViolation(
      .resourceExhausted,
      "too many cancelled calls of \(origin): \(limits[.cancelBurstPerAddress]) at once and \(limits[.cancelsPerSecondPerAddress]) a second are taken of one address (cancelBurstPerAddress, cancelsPerSecondPerAddress)",
      NodeLimit.cancelBurstPerAddress.details(bound: limits[.cancelBurstPerAddress])
    )
  }

  private func forget(_ id: UInt64, _ origin: Origin, _ place: Int) {
    let waiters = shared.withLock { shared -> [CheckedContinuation<Void, Never>] in
      shared.shares.giveBack(place)
      shared.connections[id] = nil
      shared.perOrigin[origin]?.connections -= 1
      if shared.perOrigin[origin]?.connections == 0 { shared.perOrigin[origin] = nil }
      guard shared.connections.isEmpty else { return [] }
      defer { shared.waiters = [] }
      return shared.waiters
    }
    for waiter in waiters { waiter.resume() }
    configuration.connectionClosed(id)
    configuration.workEnded()
  }

  // MARK: Ending

  /// Stops listening, tells every client, waits for running calls, and closes. It closes after `grace` in any case.
  public func drain(grace: Duration) async {
    let listeners = shared.withLock { shared in
      shared.isDraining = true
      defer { shared.listeners = [] }
      return shared.listeners
    }
    for listener in listeners { await listener.stop() }
    // This comes last, since a connection may just have been accepted.
    for connection in shared.withLock({ Array($0.connections.values) }) {
      connection.onLoop { $0.drain() }
    }
    let timeout = Task {
      try await Task.sleep(for: grace)
      self.closeAll("the node shuts down; its grace period of \(grace) is over")
    }
    await withCheckedContinuation { continuation in
      let isDone = shared.withLock { shared in
        if !shared.connections.isEmpty { shared.waiters.append(continuation) }
        return shared.connections.isEmpty
      }
      if isDone { continuation.resume() }
    }
    timeout.cancel()
  }

  private func closeAll(_ text: String) {
    for connection in shared.withLock({ Array($0.connections.values) }) {
      connection.onLoop { $0.goAway(ProtocolViolation(.unavailable, text, .init(.nodeDraining))) }
    }
  }
}
