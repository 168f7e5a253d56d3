internal import CaptureSystem
internal import CaptureTransport
internal import CaptureWire

/// A connection that is made again when it is lost. While it is away calls fail at once, with `unavailable` and the reason.
actor ReconnectingConnection: NodeConnection {
  private enum State {
    case connected(any NodeConnection)
    case away(RPCError)
    case closed
  }
  private var state: State
  /// How many connections there have been.
  private var count: UInt64 = 1
  nonisolated let policy: ReconnectPolicy?
  private let backoff: Backoff
  private let dial: @Sendable () async throws(RPCError) -> any NodeConnection
  private let changed: @Sendable (ConnectionChange) -> Void
  private let pause: @Sendable (Duration) async throws -> Void
  private var task: Task<Void, Never>?
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// `dial` makes the connection again, `changed` is called with its changes, and `pause` waits.
  init(
    _ connection: any NodeConnection, policy: ReconnectPolicy,
    dial: @escaping @Sendable () async throws(RPCError) -> any NodeConnection,
    changed: @escaping @Sendable (ConnectionChange) -> Void,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    state = .connected(connection)
    self.policy = policy
    backoff = Backoff(policy)
    self.dial = dial
    self.changed = changed
    self.pause = pause
  }

  deinit { task?.cancel() }

  /// Starts to watch the connection.
  func start() {
    guard task == nil else { return }
    task = Task { [weak self, backoff, dial, changed, pause] in
      var backoff = backoff
      // The task must not keep `self` alive.
      guard var current = try? await self?.connection() else { return }
      while true {
        let began = MonotonicClock.now()
        guard var reason = await current.waitUntilLost() else { return }
        backoff.connectionEnded(after: .nanoseconds(MonotonicClock.now() - began))
        while true {
          let delay = backoff.pause(chance: .random(in: 0...1))
          guard await self?.noteAway(reason) == true else { return }
          changed(.away(reason: reason.text, nextAttempt: delay))
          guard (try? await pause(delay)) != nil else { return }
          do throws(RPCError) {
            current = try await dial()
            break
          } catch {
            reason = error
          }
        }
        guard await self?.noteConnected(current) == true else { return await current.close() }
        changed(.restored)
      }
    }
  }

  /// Returns `false` where this side has closed the connection meanwhile.
  private func noteAway(_ reason: RPCError) -> Bool {
    if case .closed = state { return false }
    state = .away(reason)
    return true
  }

  private func noteConnected(_ connection: any NodeConnection) -> Bool {
    if case .closed = state { return false }
    state = .connected(connection)
    count += 1
    wake()
    return true
  }

  /// How many calls wait for a connection.
  var waiters: Int { waiting.count }

  private func wake() {
    let woken = waiting
    waiting = []
    for waiter in woken { waiter.resume() }
  }

  private func connection() throws(RPCError) -> any NodeConnection {
    switch state {
    case .connected(let connection): return connection
    case .away(let reason):
      throw RPCError(
        .unavailable, "the connection is lost and not there again yet: \(reason.text)",
        metadata: reason.metadata)
    case .closed: throw RPCError(.unavailable, "this side closed the connection")
    }
  }

  func close() async {
    task?.cancel()
    let last = state
    state = .closed
    wake()
    if case .connected(let connection) = last { await connection.close() }
  }

  // MARK: Calls

  nonisolated func unary(
    _ method: MethodDescriptor, _ request: RawMessage, options: CallOptions
  ) async throws(RPCError) -> RawMessage {
    try await connection().unary(method, request, options: options)
  }

  nonisolated func open(
    _ method: MethodDescriptor, _ request: RawMessage?, last: Bool, options: CallOptions
  ) async throws(RPCError) -> any RawClientCall {
    try await connection().open(method, request, last: last, options: options)
  }

  nonisolated func roundTrip(timeout: Duration) async throws(RPCError) -> Duration {
    try await connection().roundTrip(timeout: timeout)
  }

  nonisolated func clockOffset() async throws(RPCError) -> ClockOffset {
    try await connection().clockOffset()
  }

  // MARK: Loss

  var refusal: RPCError? {
    get async {
      switch state {
      case .connected(let connection): await connection.refusal
      case .away(let reason): reason
      case .closed: RPCError(.unavailable, "this side closed the connection")
      }
    }
  }

  /// This connection is never lost for good.
  nonisolated func waitUntilLost() async -> RPCError? { nil }

  var epoch: UInt64 { count }

  var node: NodeIncarnation? {
    get async {
      if case .connected(let connection) = state { return await connection.node }
      return nil
    }
  }

  /// Returns whether the connection was lost and is there again. Throws `failure` if this side has closed it, and `cancelled` if the task is
  /// cancelled.
  func recover(from failure: RPCError, epoch: UInt64) async throws(RPCError) -> Bool {
    while true {
      if Task.isCancelled { throw RPCError(.cancelled, "the call was cancelled") }
      switch state {
      case .closed: throw failure
      case .connected(let connection):
        if count > epoch { return true }
        // Where the node shuts down, or the connection takes no calls, the next connection is waited for. The call may learn of the end before the
        // watching task does, and a node that shuts down says so to each call before it ends the connection.
        if failure.details?.reason != .nodeDraining, await connection.refusal == nil {
          guard await closeIfSilent(connection, after: failure) else { return false }
        }
        // The state may have changed meanwhile, and then nobody would wake this task any more.
        guard case .connected = state, count == epoch else { continue }
      case .away: break
      }
      await waitForChange()
    }
  }

  /// Asks after a silence whether the node is there, and closes the connection where nobody answers. Returns `false` where the connection goes on.
  private func closeIfSilent(_ connection: any NodeConnection, after failure: RPCError) async -> Bool {
    guard failure.code == .deadlineExceeded else { return false }
    do throws(RPCError) {
      _ = try await connection.roundTrip(timeout: Self.patience)
      return false
    } catch {
      // A cancelled task says nothing about the node.
      guard error.code != .cancelled else { return true }
      await connection.close()
      return true
    }
  }

  private static let patience = Duration.seconds(3)

  private func waitForChange() async {
    // A cancelled task wakes all waiting tasks: each checks the state again, which costs nothing.
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { continuation.resume() } else { waiting.append(continuation) }
      }
    } onCancel: {
      Task { await self.wake() }
    }
  }
}
