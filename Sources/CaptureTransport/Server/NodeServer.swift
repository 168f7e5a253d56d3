import CaptureLoop
public import CaptureModel
import CaptureSystem
public import CaptureWire
import Synchronization

/// The node's side of the wire: listeners, their connections, and the services that answer.
public final class NodeServer: Sendable {
  private struct Shared {
    var listeners: [Listener] = []
    var connections: [UInt64: ServerConnection] = [:]
    var admission: Admission
    var loads: LoopLoads
    var clientsTotal: UInt64 = 0
    var nextID: UInt64 = 1
    /// Whether connections wait for ``acceptConnections()``.
    var holdsConnections: Bool
    var isDraining = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let services: ServiceTable
  private let configuration: NodeConfiguration
  private let loops: [TransportLoop]
  private let pool = PayloadPool(keep: 4)
  private let counters = NodeCounters()
  private let cancels: Mutex<OriginBudgets>
  private let refusalDelays: Mutex<RefusalDelays>
  private let refusals: Refusals
  let handshakes = HandshakePool()
  private let shared: Mutex<Shared>

  public init(services: [any ServiceHandler], configuration: NodeConfiguration = NodeConfiguration()) {
    self.services = ServiceTable(services)
    self.configuration = configuration
    loops = (0..<max(1, min(configuration.loops, 2))).map {
      TransportLoop(label: "capture.transport.node\($0)")
    }
    let limits = configuration.limits
    shared = Mutex(
      Shared(
        admission: Admission(limits: limits, loops: loops.count), loads: LoopLoads(loops: loops.count),
        holdsConnections: configuration.holdsConnections))
    refusals = Refusals(on: loops[0])
    cancels = Mutex(
      OriginBudgets(
        burst: limits[.cancelBurstPerAddress], perSecond: limits[.cancelsPerSecondPerAddress],
        most: limits[.cancellingAddresses]))
    refusalDelays = Mutex(RefusalDelays(most: limits[.refusedAddresses]))
  }

  /// Listens on one more address. Returns the address, with the real port in place of port 0. Throws `unavailable` once the node drains: a listener that
  /// came after that would have the address until the process has gone, which a driver may delay.
  @discardableResult
  public func listen(
    on address: SocketAddress, policy: ListenerPolicy = ListenerPolicy()
  ) throws -> SocketAddress {
    let draining = RPCError(.unavailable, "the node is shutting down", .init(.nodeDraining))
    guard !shared.withLock({ $0.isDraining }) else { throw draining }
    var address = address
    if case .name = address { address = try address.resolved()[0] }
    let listener = try Listener(address, policy: policy, unixMode: configuration.unixMode, on: loops[0]) {
      [weak self] socket, peer, acceptor in
      self?.accept(socket, peer, acceptor)
    } report: { [configuration] in
      configuration.report($0)
    }
    let (isHeld, isDraining) = shared.withLock { shared in
      if !shared.isDraining { shared.listeners.append(listener) }
      return (shared.holdsConnections, shared.isDraining)
    }
    guard !isDraining else {
      // The drain has come while the listener was made.
      loops[0].serial.async { listener.assumeIsolated { $0.stop() } }
      throw draining
    }
    if !isHeld { start(listener) }
    return listener.address
  }

  /// Accepts the connections that wait (``NodeConfiguration/holdsConnections``), and all further ones.
  public func acceptConnections() {
    let held = shared.withLock { shared in
      defer { shared.holdsConnections = false }
      return shared.holdsConnections ? shared.listeners : []
    }
    for listener in held { start(listener) }
  }

  private func start(_ listener: Listener) {
    loops[0].serial.async { listener.assumeIsolated { $0.start() } }
  }

  /// The addresses on which the node listens.
  public var addresses: [SocketAddress] { shared.withLock { $0.listeners.map(\.address) } }

  /// The addresses on which the node listens, and each listener's policy.
  public var listeners: [(address: SocketAddress, policy: ListenerPolicy)] {
    shared.withLock { $0.listeners.map { ($0.address, $0.policy) } }
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
    (statistics.callsTotal, statistics.callsFailed) = counters.callCounts
    statistics.discarded = counters.discarded.load(ordering: .relaxed)
    statistics.bytesSent = counters.sent.load(ordering: .relaxed)
    statistics.bytesReceived = counters.received.load(ordering: .relaxed)
    return statistics
  }

  /// Runs `body` on a loop that serves clients, once each of these loops has had a turn. Where a loop is stuck, `body` never runs.
  public func inTurnOfEachLoop(_ body: @escaping @Sendable () -> Void) {
    loops.reversed().reduce(body) { body, loop in { loop.serial.async(body) } }()
  }

  // MARK: Connections

  private func accept(
    _ socket: consuming OwnedDescriptor, _ peer: SocketAddress, _ listener: Listener
  ) {
    let origin = Origin(peer, socket.raw)
    let name = if case .unix = peer { "unix" } else { peer.description }
    var arrival = Arrival(peer, socket.raw, name: name)
    (arrival.policy, arrival.listener) = (listener.policy, listener.number)
    if case .unix = arrival.way, let local = try? Sockets.localAddress(socket.raw),
      case .unix(let path) = local
    {
      arrival.socketGroup = UnixPath.group(of: path)
    }
    let (id, refusal) = admit(origin, isKnown: configuration.accessGuard == nil || !arrival.hasToProve)
    if let refusal {
      if refusal.code != .unavailable {
        configuration.report(ServerNotice(kind: .refused, text: "client \(id) (\(name)): \(refusal.text)"))
      }
      let refused = SharedDescriptor(socket)
      return refusals.onLoop { $0.refuse(refused, refusal) }
    }
    // This fails where the peer has gone already; reading will find that.
    try? Sockets.tune(socket.raw, peer)
    let (place, state) = shared.withLock {
      (
        $0.loads.addConnection(isLocal: peer.isLocal),
        $0.admission.state(of: origin) ?? OriginState(loops: loops.count)
      )
    }
    let connection = ServerConnection(
      id: id, arrival: arrival, stream: stream(socket, peer, arrival, origin, state.accounts[place]),
      loop: loops[place], services: services, configuration: configuration, pool: pool, counters: counters,
      server: self, origin: origin, originState: state)
    shared.withLock { $0.connections[id] = connection }
    loops[place].serial.async { connection.start() }
  }

  /// The stream of a new connection. Over the network and on loopback, its first byte shows whether it is encrypted.
  private func stream(
    _ socket: consuming OwnedDescriptor, _ peer: SocketAddress, _ arrival: Arrival, _ origin: Origin,
    _ account: LoopAccount
  ) -> sending any ByteStream {
    let stream = SocketStream(socket, to: peer, account: account)
    if case .unix = arrival.way { return stream }
    guard let tls = configuration.accessGuard?.tls else { return stream }
    return FirstByteStream(stream, tls, PooledHandshake(handshakes, of: origin))
  }

  /// Counts a connection as one of a known caller. Returns the reason if it is not served.
  func identified(_ connection: ServerConnection) -> ProtocolViolation? {
    refusalDelays.withLock { $0.succeeded(connection.origin.description) }
    return shared.withLock { $0.admission.identify(connection.id, of: connection.origin) }
  }

  /// By how many nanoseconds the answer to an invalid credential from `origin` is delayed.
  func delayRefusal(of origin: Origin) -> UInt64 {
    refusalDelays.withLock { $0.next(of: origin.description, at: MonotonicClock.now()) }
  }

  /// How long the answer to a failed attempt is delayed for a connection that has not said who it is; zero for any other.
  public func delayRefusal(ofConnection id: UInt64) -> Duration {
    let origin = shared.withLock { $0.admission.unknownOrigin(of: id) }
    return origin.map { .nanoseconds(delayRefusal(of: $0)) } ?? .zero
  }

  /// Ends the connections that `isIncluded` accepts. Returns how many were open, once all of them have been ended.
  @discardableResult
  public func end(
    _ reason: RPCError, where isIncluded: @escaping @Sendable (Caller, Arrival) -> Bool
  ) async -> Int {
    let violation = ProtocolViolation(reason.code, reason.text, reason.details)
    return await onEach { isIncluded($0.knownCaller, $0.arrival) && $0.cut(violation) }.count { $0 }
  }

  /// Renews the rights of all callers. Once this returns, the new rights hold for every further call.
  public func renewCallers(_ renew: @escaping @Sendable (Caller) -> Caller) async {
    _ = await onEach { $0.renewCaller(renew) }
  }

  /// Runs `body` for each connection, on its loop. Returns all results, once `body` has run for every connection.
  private func onEach<Value: Sendable>(_ body: @escaping @Sendable (ServerConnection) -> Value) async
    -> [Value]
  {
    // A connection that identifies itself meanwhile is in the list already; its Hello is handled before `body` runs for it.
    let connections = shared.withLock { Array($0.connections.values) }
    return await withTaskGroup(of: Value.self) { group in
      for connection in connections {
        group.addTask {
          await withCheckedContinuation { done in
            connection.onLoop { done.resume(returning: body($0)) }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// The callers of all connections, and how these came.
  public var callers: [(caller: Caller, arrival: Arrival)] {
    shared.withLock { $0.connections.values.map { ($0.knownCaller, $0.arrival) } }
  }

  /// Stops listening on the addresses that `isIncluded` accepts. Connections that came by them stay.
  public func stopListening(where isIncluded: (SocketAddress) -> Bool) async {
    let stopped = shared.withLock { shared in
      let stopped = shared.listeners.filter { isIncluded($0.address) }
      shared.listeners.removeAll { isIncluded($0.address) }
      return stopped
    }
    for listener in stopped { await listener.stop() }
  }

  /// Stops listening on these addresses, and ends the connections that came by their listeners. Those stay that came by an earlier listener of the same
  /// address.
  public func withdraw(from addresses: [SocketAddress], _ reason: RPCError) async {
    let numbers = shared.withLock { shared in
      Set(shared.listeners.filter { addresses.contains($0.address) }.map(\.number))
    }
    await stopListening { addresses.contains($0) }
    await end(reason) { _, arrival in arrival.listener.map(numbers.contains) == true }
  }

  /// Counts a new connection. Returns its number, and the reason if it is not served.
  private func admit(_ origin: Origin, isKnown: Bool) -> (UInt64, ProtocolViolation?) {
    let (id, refusal, evicted) = shared.withLock {
      shared -> (UInt64, ProtocolViolation?, ServerConnection?) in
      let id = shared.nextID
      shared.nextID += 1
      let (refusal, evicted) =
        shared.isDraining
        ? (ProtocolViolation(.unavailable, "the node is shutting down", .init(.nodeDraining)), nil)
        : shared.admission.take(id, of: origin, isKnown: isKnown)
      if refusal == nil { shared.clientsTotal += 1 }
      return (id, refusal, evicted.flatMap { shared.connections[$0] })
    }
    if refusal != nil { counters.refused.wrappingAdd(1, ordering: .relaxed) }
    evicted?.onLoop {
      $0.cut(
        ProtocolViolation(
          .resourceExhausted, "too many connections have not said who they are (unknownConnections)",
          NodeLimit.unknownConnections.details()))
    }
    return (id, refusal)
  }

  /// Takes `count` cancels from the origin's budget. Returns an error if fewer are left, otherwise `nil`.
  func takeCancels(_ count: Int, of origin: Origin, _ now: UInt64) -> ProtocolViolation? {
    guard !cancels.withLock({ $0.take(count, of: origin.description, now: now) }) else { return nil }
    let limits = configuration.limits
    return ProtocolViolation(
      .resourceExhausted,
      "too many cancelled calls of \(origin): \(limits[.cancelBurstPerAddress]) at once and \(limits[.cancelsPerSecondPerAddress]) a second are taken of one address (cancelBurstPerAddress, cancelsPerSecondPerAddress)",
      NodeLimit.cancelBurstPerAddress.details(bound: limits[.cancelBurstPerAddress])
    )
  }

  func forget(_ connection: ServerConnection) {
    let place = loops.firstIndex { $0 === connection.loop }!
    let waiters = shared.withLock { shared -> [CheckedContinuation<Void, Never>] in
      shared.loads.removeConnection(isLocal: connection.arrival.way != .network, of: place)
      shared.connections[connection.id] = nil
      shared.admission.forget(connection.id, of: connection.origin)
      guard shared.connections.isEmpty else { return [] }
      defer { shared.waiters = [] }
      return shared.waiters
    }
    for waiter in waiters { waiter.resume() }
    configuration.connectionClosed(connection.id)
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
    // This comes last, since the listeners may have accepted a connection just before they stopped.
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
