import CaptureSystem
import CaptureWire
import Synchronization

/// The node's end of the wire: listeners, their connections, and the services that answer.
public final class NodeServer: Sendable {
  private struct Shared {
    var listeners: [Listener] = []
    var connections: [UInt64: ServerConnection] = [:]
    var perAddress: [String: Int] = [:]
    /// Refused ones that are being told why.
    var refused: [UInt64: ServerConnection] = [:]
    var clientsTotal: UInt64 = 0
    var clientsRefused: UInt64 = 0
    var nextID: UInt64 = 1
    var isDraining = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let services: ServiceTable
  private let configuration: NodeConfiguration
  private let loops: [TransportLoop]
  private let pool = PayloadPool(keep: 4)
  private let counters = NodeCounters()
  private let shared = Mutex(Shared())

  /// Refused connections that get a GoAway at once; those beyond are only closed.
  private static let refusalBound = 64

  public init(services: [any ServiceHandler], configuration: NodeConfiguration = NodeConfiguration()) {
    self.services = ServiceTable(services)
    self.configuration = configuration
    loops = (0..<max(1, min(configuration.loops, 2))).map {
      TransportLoop(label: "capture.transport.node\($0)")
    }
  }

  /// Listens on one more address. Returns where, with the real port for port 0.
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

  /// What the transport counts.
  public var statistics: NodeStatistics {
    var statistics = NodeStatistics()
    shared.withLock { shared in
      statistics.clients = shared.connections.count
      statistics.clientsTotal = shared.clientsTotal
      statistics.clientsRefused = shared.clientsRefused
    }
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
    let (origin, name) = Self.names(of: peer)
    let limits = configuration.limits
    enum Verdict { case serve, refuse(ProtocolViolation), drop }
    let (id, verdict) = shared.withLock { shared -> (UInt64, Verdict) in
      let id = shared.nextID
      shared.nextID += 1
      var reason: ProtocolViolation?
      if shared.isDraining {
        reason = ProtocolViolation(.unavailable, "the node is shutting down")
      } else if shared.connections.count >= limits.maxConnections {
        reason = ProtocolViolation(
          .resourceExhausted, "this node serves \(limits.maxConnections) connections at once, and has them")
      } else if shared.perAddress[origin, default: 0] >= limits.maxConnectionsPerAddress {
        reason = ProtocolViolation(
          .resourceExhausted,
          "this node serves \(limits.maxConnectionsPerAddress) connections of one address at once, and has them of \(origin)"
        )
      }
      guard let reason else {
        shared.clientsTotal += 1
        shared.perAddress[origin, default: 0] += 1
        return (id, .serve)
      }
      shared.clientsRefused += 1
      return (id, shared.refused.count < Self.refusalBound ? .refuse(reason) : .drop)
    }
    if case .drop = verdict {
      return configuration.report(ServerNotice(kind: .refused, text: "client \(id) (\(name)): one too many"))
    }
    // It fails where the peer is gone already: reading will tell.
    try? Sockets.tune(socket.raw, peer)
    let loop = loops[Int(id) % loops.count]
    let connection = ServerConnection(
      id: id, peer: name, stream: SocketStream(socket), loop: loop, services: services,
      configuration: configuration, pool: pool, counters: counters
    ) { [weak self] connection in
      self?.forget(connection.id, origin)
    }
    var refusal: ProtocolViolation?
    shared.withLock { shared in
      if case .refuse(let reason) = verdict {
        refusal = reason
        shared.refused[id] = connection
      } else {
        shared.connections[id] = connection
      }
    }
    loop.serial.async { [refusal] in connection.assumeIsolated { $0.start(refusal: refusal) } }
  }

  /// For the cap, and for people.
  private static func names(of peer: SocketAddress) -> (origin: String, name: String) {
    if case .internet(let host, _, _) = peer { return (host, peer.description) }
    return ("unix", "unix")
  }

  private func forget(_ id: UInt64, _ origin: String) {
    let waiters = shared.withLock { shared -> [CheckedContinuation<Void, Never>] in
      if shared.refused.removeValue(forKey: id) == nil {
        shared.connections[id] = nil
        let count = shared.perAddress[origin, default: 1] - 1
        shared.perAddress[origin] = count > 0 ? count : nil
      }
      guard shared.connections.isEmpty else { return [] }
      defer { shared.waiters = [] }
      return shared.waiters
    }
    for waiter in waiters { waiter.resume() }
    configuration.connectionClosed(id)
  }

  // MARK: Ending

  /// Stops to listen, tells every client, waits for the calls that run, and closes; after `grace` it closes all the same.
  public func drain(grace: Duration) async {
    let listeners = shared.withLock { shared in
      shared.isDraining = true
      defer { shared.listeners = [] }
      return shared.listeners
    }
    for listener in listeners { await listener.stop() }
    // Only now: one may just have been accepted.
    for connection in shared.withLock({ Array($0.connections.values) }) { await connection.drain() }
    let timeout = Task {
      try await Task.sleep(for: grace)
      await self.closeAll("the node shuts down; its grace period of \(grace) is over")
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

  private func closeAll(_ text: String) async {
    for connection in shared.withLock({ Array($0.connections.values) }) {
      await connection.goAway(ProtocolViolation(.unavailable, text))
    }
  }
}
