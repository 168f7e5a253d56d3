import CaptureLoop
public import CaptureSystem
public import CaptureTLS
public import CaptureWire
import Dispatch

/// A client's connection to a node. It lives on its loop; ``ClientConnectionState`` has the protocol's rules.
///
/// When the connection is lost, every call fails with UNAVAILABLE and the reason. Releasing the last reference closes it.
public actor ClientConnection: LoopActor {
  /// The address at which the node was reached.
  public nonisolated let address: SocketAddress
  /// The connection's loop. Tasks that prefer the loop's executor make calls without a hop.
  public nonisolated let loop: TransportLoop
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.serial.asUnownedSerialExecutor() }

  nonisolated let check: PeerCheck
  let pump: ConnectionPump<ClientConnectionState>
  var calls = CallTable<OpenCall>()
  var unaryCalls = CallTable<UnaryCall>()
  var pings: [UInt64: CheckedContinuation<Result<PingSample, RPCError>, Never>] = [:]
  var clock = ClockEstimate()
  private var timer: LoopTimer?
  private var isFlushScheduled = false
  private var isClosed = false
  private var helloWaiters: [CheckedContinuation<Void, Never>] = []
  private var lossWaiters: [CheckedContinuation<Void, Never>] = []
  private var openDeadline: UInt64?

  /// Connects, and waits for the node's Hello. Fails with UNAVAILABLE where no node listens, with DEADLINE_EXCEEDED where nothing answers, or with
  /// the reason that the node gives for a refusal.
  public static func connect(
    to address: SocketAddress, configuration: ClientConfiguration = ClientConfiguration()
  ) async throws(RPCError) -> ClientConnection {
    guard !configuration.otherAddresses.isEmpty else { return try await dial(address, configuration) }
    return try await Race.first(of: [address] + configuration.otherAddresses) { (address) throws(RPCError) in
      try await dial(address, configuration)
    } discard: {
      await $0.close()
    }
  }

  private static func dial(
    _ address: SocketAddress, _ configuration: ClientConfiguration
  ) async throws(RPCError) -> ClientConnection {
    let start = MonotonicClock.now()
    let (raw, found) = try await Connector.connect(
      to: address, timeout: configuration.connectTimeout,
      check: configuration.tls == nil ? configuration.checkInTheClear : nil)
    let socket = SocketStream(OwnedDescriptor(owning: raw), to: found)
    let check = PeerCheck(configuration.tls ?? .anybody)
    let connection: ClientConnection
    let pool = PayloadPool(keep: 32, bytes: 20 << 20)
    if configuration.tls != nil {
      let session: TLSSession
      do throws(TLSError) { session = try check.session() } catch {
        throw RPCError(.internal, "\(error)", .init(.noMemory))
      }
      connection = ClientConnection(
        found, TLSStream(socket, session, checks: check), configuration, pool: pool,
        check: check)
    } else {
      connection = ClientConnection(found, socket, configuration, pool: pool)
    }
    do throws(RPCError) {
      try await connection.open(until: start &+ configuration.connectTimeout.nanoseconds)
    } catch {
      throw check.explain(error, at: found)
    }
    return connection
  }

  /// The key that the node has shown; `nil`: the connection is not encrypted.
  public nonisolated var nodePin: Digest? { check.pin }
  /// The certificate that the node has shown, in PEM.
  public nonisolated var nodeCertificate: String? { check.certificate }

  init(
    _ address: SocketAddress, _ stream: sending any ByteStream, _ configuration: ClientConfiguration,
    pool: PayloadPool, check: PeerCheck = PeerCheck(.anybody)
  ) {
    self.address = address
    self.check = check
    loop = configuration.loop
    let rules = configuration.connection
    let state = ClientConnectionState(configuration: rules, pool: pool, now: MonotonicClock.now())
    pump = ConnectionPump(state: state, limits: rules.limits, stream: stream, memory: loop.memory)
  }

  /// The node's Hello.
  public var hello: Hello? { pump.state.hello }

  /// Ends the connection. Open calls fail.
  public func close() {
    lose(RPCError(.unavailable, "this side closed the connection"))
  }

  // MARK: Opening

  func open(until deadline: UInt64) async throws(RPCError) {
    pump.stream.activate(on: loop) { [weak self] in
      _ = self?.ifOnLoop { $0.readable() }
    } writable: { [weak self] in
      _ = self?.ifOnLoop { $0.writable() }
    }
    timer = LoopTimer(loop.events) { [weak self] in
      _ = self?.ifOnLoop { $0.timerFired() }
    }
    openDeadline = deadline
    armTimer()
    flush()
    while pump.state.hello == nil, pump.state.failure == nil {
      await withCheckedContinuation { helloWaiters.append($0) }
    }
    openDeadline = nil
    if let failure = pump.state.failure { throw failure }
  }

  private func wakeHelloWaiters() {
    let waiting = helloWaiters
    helloWaiters = []
    for waiter in waiting { waiter.resume() }
  }

  // MARK: Events

  private func readable() {
    guard !isClosed else { return }
    let before = pump.bytesRead
    while pump.mayRead(since: before), !isClosed {
      switch pump.read() {
      case .more:
        performActions()
        continue
      case .drained:
        performActions()
      case .ended:
        performActions()
        lose(.unreachable(address, "the node at \(address) closed the connection"))
      case .failed(let error):
        lose(.unreachable(address, "the connection to \(address) is lost: \(error)"))
      }
      break
    }
    guard !isClosed else { return }
    if pump.state.failure != nil { return lose(pump.state.failure!) }
    if pump.state.hasOutput { scheduleFlush() }
    armTimer()
  }

  private func writable() {
    guard !isClosed else { return }
    pump.becameWritable()
    flush()
  }

  private func timerFired() {
    guard !isClosed else { return }
    let now = MonotonicClock.now()
    if pump.state.hello != nil { openDeadline = nil }
    if let openDeadline, now >= openDeadline {
      return lose(
        .unreachable(
          address,
          "\(address) was reached but did not say Hello, as a capture node does at once: another program has that port, a web server "
            + "perhaps, or the node hangs", .deadlineExceeded))
    }
    pump.state.tick(now: now)
    performActions()
    if let failure = pump.state.failure { return lose(failure) }
    flush()
    armTimer()
  }

  func armTimer() {
    timer?.arm(min(pump.state.due, openDeadline ?? .max))
  }

  // MARK: Writing

  func scheduleFlush() {
    guard !isFlushScheduled, !pump.isBlocked, !isClosed else { return }
    isFlushScheduled = true
    loop.serial.atEndOfTurn(self)
  }

  fileprivate func flushScheduled() {
    isFlushScheduled = false
    flush()
  }

  func flush() {
    guard !isClosed else { return }
    if let error = pump.write() {
      return lose(.unreachable(address, "the connection to \(address) is lost: \(error)"))
    }
    for call in calls.values where !call.senders.isEmpty { wakeSenders(call) }
  }

  // MARK: Ending

  private func lose(_ error: RPCError) {
    guard !isClosed else { return }
    isClosed = true
    // The node can still be told what it did wrong.
    _ = pump.write()
    pump.state.fail(error)
    performActions()
    pump.stream.close()
    timer = nil
    let failure = pump.state.failure ?? error
    let waiting = pings
    pings = [:]
    for ping in waiting.values { ping.resume(returning: .failure(failure)) }
    wakeHelloWaiters()
    wakeLossWaiters()
  }

  /// Why the connection takes no new calls: it was lost, or the node said that it goes away.
  public var refusal: RPCError? { pump.state.refusal }

  /// Returns the reason when the connection is lost, and `nil` when the task is cancelled.
  public func waitUntilLost() async -> RPCError? {
    await withTaskCancellationHandler {
      while !isClosed, !Task.isCancelled {
        await withCheckedContinuation { lossWaiters.append($0) }
      }
    } onCancel: {
      onLoop { $0.wakeLossWaiters() }
    }
    return isClosed ? pump.state.failure : nil
  }

  private func wakeLossWaiters() {
    let waiting = lossWaiters
    lossWaiters = []
    for waiter in waiting { waiter.resume() }
  }

  func performActions() {
    var index = 0
    while index < pump.state.actions.count {
      let action = pump.state.actions[index]
      index += 1
      switch action {
      case .opened: wakeHelloWaiters()
      case .message(let id, let message):
        received(id, message)
      case .aborted(let id): calls[id]?.handle?.aborted.wrappingAdd(1, ordering: .relaxed)
      case .ended(let id, let error): ended(id, error)
      case .credit(let id):
        if let call = calls[id] { wakeSenders(call) }
      case .pong(let pong, let received):
        pings.removeValue(forKey: pong.pingSentNs)?.resume(
          returning: .success(PingSample(pong, received: received)))
      }
    }
    pump.state.actions.removeAll(keepingCapacity: true)
  }
}

extension ClientConnection: TurnParticipant {
  package nonisolated func turnEnds() { _ = ifOnLoop { $0.flushScheduled() } }
}
