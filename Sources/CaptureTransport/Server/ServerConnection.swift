import CaptureLoop
import CaptureModel
import CaptureSystem
import CaptureWire
import Dispatch
import Glibc
import Synchronization

/// A client's connection on the node. ``ServerConnectionState`` in CaptureWire has the protocol's rules, such as what a client may send
/// (`ServerConnectionState+Receive.swift`).
///
/// Unchecked: all that changes belongs to the connection's loop. Other threads come in through ``onLoop(_:)``.
final class ServerConnection: TurnParticipant, @unchecked Sendable {
  let id: UInt64
  let arrival: Arrival
  var peer: String { arrival.peer }
  private let caller = Mutex(Caller.unknown)
  /// The caller, for other threads.
  var knownCaller: Caller { caller.withLock { $0 } }
  let accessGuard: (any AccessGuard)?
  /// Whether there is a guard and this connection has not identified itself to it.
  private var isUnknown = false
  /// The server, which counts all connections against the node's limits.
  private weak var server: NodeServer?
  let loop: TransportLoop
  let isBlocked = Atomic<Bool>(false)

  let services: ServiceTable
  let counters: NodeCounters
  let workEnded: @Sendable () -> Void
  private let report: @Sendable (ServerNotice) -> Void
  let reportsCalls: Bool
  let callBounds: CallBounds
  let pump: ConnectionPump<ServerConnectionState>
  var running = CallTable<RunningHandler>()
  /// Whether a message of any handler may wait for credit or room.
  var mayHaveWaiting = false
  /// The bytes of the last frames of calls that have ended before these were sent whole, by call. They count as late.
  var leftFrames: [UInt32: Int] = [:]
  var deadlines = ConnectionDeadlines()
  /// Fires when the first of ``deadlines``, or of the protocol's times, has come.
  private var timer: LoopTimer?
  private var isFlushScheduled = false
  private var isReadingPaused = false
  private var pace = ReadLimiter()
  private var cancels: FreeCancels
  let origin: Origin
  let originState: OriginState
  private var chargedLongBytes: UInt64 = 0
  /// Whether what the client has not acknowledged is dropped at the end.
  private var isCut = false
  private var hasShutDownWriting = false
  private(set) var isClosed = false
  private var counted = NodeCounters.Totals()

  init(
    id: UInt64, arrival: Arrival, stream: sending any ByteStream, loop: TransportLoop, services: ServiceTable,
    configuration: NodeConfiguration, pool: PayloadPool, counters: NodeCounters, server: NodeServer,
    origin: Origin, originState: OriginState
  ) {
    self.id = id
    self.arrival = arrival
    accessGuard = configuration.accessGuard
    self.loop = loop
    self.services = services
    self.counters = counters
    report = configuration.report
    workEnded = configuration.workEnded
    reportsCalls = configuration.reportsCalls
    callBounds = CallBounds(configuration.limits)
    (self.server, self.origin, self.originState) = (server, origin, originState)
    let now = MonotonicClock.now()
    cancels = FreeCancels(now: now)
    let state = ServerConnectionState(
      configuration: configuration.connection, methods: services.methods, pool: pool, now: now)
    pump = ConnectionPump(
      state: state, limits: configuration.packets, stream: stream, memory: loop.memory)
    pump.readLimit = pace.bytes
    guard accessGuard != nil else { return }
    isUnknown = true
    deadlines.awaitIdentity(until: now + configuration.connection.helloTimeout)
    pump.state.identify = { [unowned self] (hello) throws(ProtocolViolation) in try identify(hello) }
  }

  /// How many bytes a connection may send before it has identified itself.
  private static let mostUnknownBytes = 65_536

  private func identify(_ hello: Hello) throws(ProtocolViolation) -> Caller {
    var arrival = arrival
    arrival.isEncrypted = pump.stream.isEncrypted
    let found: Caller
    do throws(RPCError) { found = try accessGuard!.identify(arrival, credential: hello.credential) } catch {
      if !hello.credential.isEmpty {
        deadlines.delayAnswer(until: MonotonicClock.now() + (server?.delayRefusal(of: origin) ?? 0))
      }
      throw ProtocolViolation(error.code, error.text, error.details)
    }
    if found.isKnown, let refusal = server?.identified(self) { throw refusal }
    caller.withLock { $0 = found }
    isUnknown = !found.isKnown
    let expiry = found.expires.map { Expiry(at: $0, utc: Int64(time(nil)), now: MonotonicClock.now()) }
    deadlines.identified(isKnown: found.isKnown, expiry: expiry)
    return found
  }

  /// Renews the caller's rights, from the next call on.
  func renewCaller(_ renew: (Caller) -> Caller) {
    guard let known = pump.state.caller else { return }
    let renewed = renew(known)
    pump.state.caller = renewed
    caller.withLock { $0 = renewed }
  }

  /// Ends the connection, also in the middle of a record or a frame. A known caller gets a moment to read what was sent. Then the connection is
  /// reset, since the kernel would go on sending for as long as the caller reads slowly. Returns whether the connection was open.
  @discardableResult
  func cut(_ violation: ProtocolViolation) -> Bool {
    guard !isClosed else { return false }
    deadlines.cut()
    isCut = !isUnknown
    goAway(violation)
    if isUnknown { close() }
    return true
  }

  /// Starts to serve the client.
  func start() {
    // A drain may have come before.
    guard !isClosed else { return }
    pump.stream.activate(on: loop) { [weak self] in
      self?.readable()
    } writable: { [weak self] in
      self?.writable()
    }
    timer = LoopTimer(loop.events) { [weak self] in self?.timerFired() }
    armTimer()
  }

  // MARK: Events

  private func readable() {
    guard !isClosed else { return }
    let now = MonotonicClock.now()
    let (before, packets, calls) = (pump.bytesRead, pump.packetBytes, pump.state.callsTotal)
    while !isClosed, pump.mayRead(since: before),
      isInsideLongEnvelope
        || (!owesForLongPackets && pump.packetBytes - packets < ReadLimiter.bytesPerTurn
          && pump.state.callsTotal - calls < ReadLimiter.callsPerTurn),
      readOnce(since: before, now)
    {}
    guard !isClosed else { return }
    chargeCancels(now)
    guard !isClosed else { return }
    // Bytes count together with what wraps them (`overhead`): tiny TLS records cost the node most.
    if isUnknown, Int(pump.bytesRead) + pump.stream.overhead > Self.mostUnknownBytes {
      return close("it has sent too much without identifying itself")
    }
    chargeLongPackets(since: now)
    pace.turnStarted(calls: pump.state.callsTotal - calls)
    pump.readLimit = pace.bytes
    if pump.state.isClosing || pump.state.isDraining {
      // This flushes even if the socket takes no more bytes, since it may never take any again.
      flush()
      guard !isClosed else { return }
    } else if pump.isBlocked {
      // The calls that have begun are counted here, since no flush comes that would count them.
      updateCounters()
    } else if pump.state.hasOutput {
      scheduleFlush()
    }
    updateReading()
    armTimer()
  }

  /// Whether a turn reads on to the end of a long envelope. A connection that paused in the middle of one would have to keep the part that has come
  /// until the pause is over, and hundreds may pause at a time.
  private var isInsideLongEnvelope: Bool { !isUnknown && pump.longRemaining > 0 }

  /// Whether a long envelope has ended that is not charged yet. The turn ends then, so that the pause comes before the bytes behind that envelope are
  /// read.
  private var owesForLongPackets: Bool { pump.longBytes > chargedLongBytes }

  /// Reads once. Returns whether this turn may read on.
  private func readOnce(since start: UInt64, _ now: UInt64) -> Bool {
    switch pump.read() {
    case .more:
      performActions()
      return !pauseIfNeeded(afterFull: true, since: start, now) && !hasBacklog
    case .drained:
      performActions()
      pauseIfNeeded(afterFull: false, since: start, now)
    case .ended:
      performActions()
      peerEnded()
    case .failed(let error):
      close("\(error)")
    }
    return false
  }

  /// Pauses reading if the last read cost too much. Returns whether it does.
  @discardableResult
  private func pauseIfNeeded(afterFull isFull: Bool, since start: UInt64, _ now: UInt64) -> Bool {
    let hasDiscardedMuch = pump.isDiscarding && pump.bytesRead - start >= ReadLimiter.discardedPerTurn
    let hasCancelledMany = pace.needsPause(afterFull: isFull, cancels: pump.state.cancelsTotal)
    pump.readLimit = pace.bytes
    guard hasDiscardedMuch || hasCancelledMany else { return false }
    deadlines.pauseReading(
      until: now + (hasDiscardedMuch ? ReadLimiter.discardPause : ReadLimiter.cancelPause))
    return true
  }

  /// Pauses reading from a client that sends long packets: these cost much, and others have their turn meanwhile.
  private func chargeLongPackets(since start: UInt64) {
    let bytes = pump.longBytes - chargedLongBytes
    guard bytes > 0 else { return }
    chargedLongBytes = pump.longBytes
    workEnded()
    let now = MonotonicClock.now()
    let pause = originState.pause(
      after: LongPacketBudget.cost(longBytes: bytes, elapsed: now - start), now: now)
    if pause > 0 { deadlines.pauseReading(until: now + pause) }
  }

  private func chargeCancels(_ now: UInt64) {
    let excess = cancels.excess(of: pump.state.cancelsTotal, now: now)
    guard excess > 0, !pump.state.isClosing, let violation = server?.takeCancels(excess, of: origin, now)
    else { return }
    goAway(violation)
  }

  /// Whether too many answers wait. Nothing is read from a peer that sends requests but does not take the answers.
  private var hasBacklog: Bool { pump.state.waitingBytes > Self.answerBound }

  /// How many bytes of answers may wait for a client that does not read them.
  private static let answerBound = NodeLimit.unreadAnswerBytes.usual

  func updateReading() {
    let isPaused = hasBacklog || deadlines.isPaused
    guard isReadingPaused != isPaused else { return }
    isReadingPaused = isPaused
    pump.stream.setReading(!isPaused)
  }

  private func writable() {
    guard !isClosed else { return }
    pump.becameWritable()
    flush()
  }

  /// Handles the client's end of sending. Half-closed clients are not served: nobody could cancel their calls.
  private func peerEnded() {
    // The client may still read the reason. It does not get one early that is delayed.
    if pump.state.isClosing, !deadlines.isAnswerDelayed { _ = pump.write() }
    close("it closed the connection")
  }

  // MARK: Writing

  /// Writes once for everything that a turn of the queue produces.
  func scheduleFlush() {
    guard !isFlushScheduled, !pump.isBlocked, !isClosed else { return }
    isFlushScheduled = true
    loop.serial.atEndOfTurn(self)
  }

  func turnEnds() {
    isFlushScheduled = false
    flush()
  }

  func flush() {
    guard !isClosed, !deadlines.isAnswerDelayed else { return }
    let wasBlocked = pump.isBlocked
    repeat {
      if let error = pump.write() { return close("\(error)") }
      isBlocked.store(pump.isBlocked, ordering: .relaxed)
      resumeSenders()
    } while !pump.isBlocked && pump.state.hasOutput
    if pump.isBlocked, !wasBlocked { frameWaits() }
    updateCounters()
    if isReadingPaused { updateReading() }
    if pump.state.isClosing || isFinished { waitForClose() }
  }

  /// Waits until the peer closes, but not for long: an immediate close could reset the connection before the peer has read the last packets. The wait
  /// also ends if the peer does not read them.
  private func waitForClose() {
    pump.isDiscarding = true
    if !pump.state.hasOutput, !hasShutDownWriting {
      guard pump.state.bytesWritten > 0 else { return close() }
      hasShutDownWriting = true
      pump.stream.shutdownWriting()
    }
    if deadlines.waitForClose(from: MonotonicClock.now()) { armTimer() }
  }

  /// Whether the node drains and nothing is left to do on this connection.
  private var isFinished: Bool {
    pump.state.isDraining && pump.state.openCalls == 0 && pump.state.runningHandlers == 0
      && !pump.state.hasOutput
  }

  /// Has the timer fire when something is due next. One that is armed for an earlier time stays as it is, so this costs a call or a frame little.
  func armTimer() { timer?.arm(deadlines.next(protocolDue: pump.state.due)) }

  /// Updates the node's counters with those of the connection.
  func updateCounters() {
    // This reads the state in place: a copy would retain everything that the state holds.
    let totals = NodeCounters.Totals(
      calls: pump.state.callsTotal, failed: pump.state.callsFailed, sent: pump.state.bytesWritten,
      received: pump.bytesRead)
    counters.add(totals, after: counted)
    counted = totals
  }

  // MARK: Ending

  func drain() {
    guard !isClosed else { return }
    deadlines.drain()
    pump.state.drain(text: "the node is shutting down")
    flush()
  }

  /// Sends the reason, and closes.
  func goAway(_ violation: ProtocolViolation) {
    guard !isClosed else { return }
    pump.isDiscarding = true
    pump.state.goAway(violation)
    leftFramesEnded()
    performActions()
    flush()
  }

  /// `reason`: why the connection ended, if it was not the node that ended it.
  func close(_ reason: String? = nil) {
    guard !isClosed else { return }
    isClosed = true
    updateCounters()
    let calls = pump.state.openCalls
    if let reason, calls > 0, !pump.state.isClosing {
      tell(.vanished, "gone in the middle of \(calls) \(calls == 1 ? "call" : "calls"): \(reason)")
    }
    if isCut { pump.stream.reset() } else { pump.stream.close() }
    timer = nil
    pump.state.dropOutput()
    leftFramesEnded()
    for handler in running.values { stop(handler) }
    if let violation = pump.state.violation, violation.code != .unavailable {
      counters.refused.wrappingAdd(1, ordering: .relaxed)
      tell(.refused, violation.text)
    }
    server?.forget(self)
  }

  /// Reports news of this client to the node's log.
  func tell(_ kind: ServerNotice.Kind, _ text: String) {
    report(ServerNotice(kind: kind, text: "client \(id) (\(peer)): \(text)"))
  }
}
