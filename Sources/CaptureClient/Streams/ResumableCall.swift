internal import CaptureModel
internal import CaptureSystem
internal import CaptureWire

/// Opens the call of a sequence, and opens it again after a pause. It keeps the facts of a pause until the next element reports them.
struct ResumableCall: Sendable {
  private struct Pause {
    var cause: Resumption.Cause
    var reason: String
    /// `CLOCK_MONOTONIC` nanoseconds here.
    var since: UInt64
    var backoff: Backoff
    var cameraWasAway = false
  }
  private let connection: any NodeConnection
  /// Whether a camera, session or library that is missing may still come.
  private let mayComeBack: @Sendable (RPCError) -> Bool
  private let recovery: RecoveryWait
  /// The number of the connection on which the call was opened, or of one before it.
  private var epoch: UInt64 = 0
  /// The node on which the call was opened.
  private var node: NodeIncarnation?
  private var nodeBeforePause: NodeIncarnation?
  private var pause: Pause?
  /// How often the node has restored the camera's settings, by its latest report; `nil`: there is no report yet.
  private var restorations: UInt32?

  init(
    _ connection: any NodeConnection, recovery: RecoveryWait = RecoveryWait(),
    mayComeBack: @escaping @Sendable (RPCError) -> Bool = { _ in false }
  ) {
    self.connection = connection
    self.recovery = recovery
    self.mayComeBack = mayComeBack
  }

  /// Opens the call. If the connection was made again meanwhile, opens the call once more, since it may be on the former connection or on the new
  /// one.
  mutating func open<Opened>(
    _ body: (any NodeConnection) async throws(RPCError) -> Opened
  ) async throws(RPCError) -> Opened {
    while true {
      epoch = await connection.epoch
      let here = await connection.node
      let opened = try await body(connection)
      guard await connection.epoch == epoch else { continue }
      node = here ?? node
      return opened
    }
  }

  /// Learns the identity of the call's camera, by which the call is opened again. It is called with each element until the identity is known, before
  /// the first one is handed out: until then any camera that has the name is the right one.
  func identify(_ camera: CameraReference, timeout: Duration?) async throws(RPCError) {
    guard connection.policy != nil, !camera.isSettled else { return }
    do throws(RPCError) {
      let list = try await recovery.wait { [connection] () async throws(RPCError) in
        try await DevicesClient(connection).list(options: CallOptions(timeout: timeout))
      }
      // If the connection was made again meanwhile, the list may be that of the node's next run.
      guard await connection.epoch == epoch else {
        throw RPCError(.unavailable, "it ended before the camera's identity was known")
      }
      camera.settle(by: list)
    } catch {
      switch error.code {
      case .unavailable, .cancelled: throw error
      // The next element asks again.
      case .deadlineExceeded: return
      default: camera.settle(on: nil)
      }
    }
  }

  /// Opens the call again, as soon as that is possible. Throws `failure`, or that of a later attempt, if the sequence is over.
  mutating func reopen<Opened>(
    after failure: RPCError, _ body: (any NodeConnection) async throws(RPCError) -> Opened
  ) async throws(RPCError) -> Opened {
    guard let policy = connection.policy else { throw failure }
    var failure = failure
    while true {
      try await wait(after: failure, policy)
      do throws(RPCError) { return try await open(body) } catch { failure = error }
    }
  }

  /// Waits until the call can be made again. Throws `failure` if that will never be possible.
  private mutating func wait(after failure: RPCError, _ policy: ReconnectPolicy) async throws(RPCError) {
    let (reason, failed) = (failure.details?.reason, MonotonicClock.now())
    let (connection, epoch) = (connection, epoch)
    let wasLost = try await recovery.wait { () async throws(RPCError) in
      try await connection.recover(from: failure, epoch: epoch)
    }
    if wasLost {
      return beginPause(.connectionLost, "the connection was lost: \(failure.text)", failed, policy)
    }
    // The connection is there. The camera may need a moment longer.
    let isUnplugged = failure.code == .unavailable && reason == .cameraUnplugged
    guard isUnplugged || pause != nil, mayComeBack(failure) else { throw failure }
    beginPause(.cameraUnplugged, failure.text, failed, policy)
    pause!.cameraWasAway = true
    let delay = min(pause!.backoff.pause(chance: .random(in: 0...1)), Self.longestPauseOfCamera)
    try await recovery.wait { () async throws(RPCError) in
      do { try await Task.sleep(for: delay) } catch { throw RPCError(.callCancelled) }
    }
  }

  private static let longestPauseOfCamera = Duration.seconds(1)

  /// `since`: when the last call ended, in `CLOCK_MONOTONIC` nanoseconds.
  private mutating func beginPause(
    _ cause: Resumption.Cause, _ reason: String, _ since: UInt64, _ policy: ReconnectPolicy
  ) {
    guard pause == nil else { return }
    pause = Pause(cause: cause, reason: reason, since: since, backoff: Backoff(policy))
    nodeBeforePause = node
  }

  /// Whether there is a pause now, which the next element reports.
  var isPaused: Bool { pause != nil }

  /// Returns the resumption for the first element after a pause; `nil`: there was no pause. `continuity`: what the node reported of the camera with
  /// that element.
  mutating func endPause(_ continuity: CameraContinuity? = nil) -> Resumption? {
    let known = restorations
    restorations = continuity?.restorations ?? known
    guard let pause = pause.take() else {
      // The call did not end: the node itself waited for the camera.
      guard let continuity, let away = continuity.away, let known else { return nil }
      return Resumption(
        .cameraUnplugged, reason: continuity.reason, pause: away,
        settingsWereSetAgain: continuity.restorations != known, streamBeganAnew: true)
    }
    let isNewNode = nodeBeforePause != node
    let former = isNewNode ? 0 : known
    return Resumption(
      pause.cause, reason: pause.reason, pause: .nanoseconds(MonotonicClock.now() &- pause.since),
      isNewBoot: nodeBeforePause?.bootID != node?.bootID, isNewNode: isNewNode,
      settingsWereSetAgain: continuity.flatMap { continuity in former.map { continuity.restorations != $0 } },
      streamBeganAnew: isNewNode || pause.cameraWasAway || continuity?.away != nil)
  }
}
