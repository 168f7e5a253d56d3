import CaptureLoop
import CaptureModel
import CaptureSystem

/// Cameras that run together, and where their pictures go (`AVCaptureSession`).
///
/// A session has its cameras from the moment at which it is configured, and runs them from its start to its stop, even if nobody watches. Changes
/// take turns. Each subscriber takes frames from the stream of the camera to which its output is connected, and is moved when the connection, that
/// camera or its format changes.
public actor Session {
  public nonisolated let name: String
  /// Whether the session lives until it is closed. Other sessions end with their owner's connection.
  public nonisolated let isNamed: Bool
  public nonisolated let owner: SessionOwner
  private nonisolated let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Lets one change of the session at a time in.
  let gate = Gate(.session)
  /// Where the session is stored; `nil`: it is not stored.
  let saved: SavedSession?

  /// A camera of the session.
  struct Input {
    let device: Device
    let reservation: CameraReservation
    var asked: SessionConfiguration.Input
    /// The stream that is wanted of the camera, for the format in `asked` or else for the session's preset.
    var wanted: StreamRequest
    /// The camera's stream while frames come, or may soon come again; otherwise `nil`.
    var stream: InputStream?
    /// Why the camera gives no frames although the session runs.
    var interruption: InputInterruption?
    /// Since when the camera is unplugged, in `CLOCK_MONOTONIC` nanoseconds, until it streams again.
    var unpluggedSince: UInt64?
  }

  struct InputInterruption {
    var kind: SessionEvent.Interruption
    var text: String
  }

  var configuration = SessionConfiguration()
  /// The session's cameras, in the order of the configuration.
  var inputs: [Input] = []
  var members: [SessionMember] = []
  var isRunning = false {
    didSet {
      if isRunning { failure = nil }
      for input in inputs { input.reservation.setRunning(isRunning) }
    }
  }
  /// Why the session stopped by itself.
  var failure: CaptureError?
  var revision: UInt64 = 0
  /// The cameras whose start will be tried again after a pause.
  var retries: Set<CameraID> = []
  private let watches = WatchList<SessionWatch>()
  /// Why the session has ended; `nil`: it has not ended.
  public private(set) var endReason: CaptureError?

  init(name: String, isNamed: Bool, owner: SessionOwner, saved: SavedSession? = nil) {
    self.saved = saved
    self.name = name
    self.isNamed = isNamed
    self.owner = owner
    executor = QueueExecutor(label: "session-\(name)")
  }

  // MARK: Status

  /// The session's status.
  public func status() -> SessionStatus {
    var status = SessionStatus(
      name: name, isNamed: isNamed, configuration: configuration, owner: owner.name)
    status.isRunning = isRunning
    status.revision = revision
    status.activeFormats = inputs.map { input in
      (input.stream?.format).map {
        ActiveFormat(pixelFormat: $0.pixelFormat, size: $0.size, interval: $0.interval)
      }
    }
    status.connectionLimits = configuration.limits { camera in
      inputs.first { $0.device.id.rawValue == camera }.map { input in
        guard let now = input.stream?.format else { return (input.wanted, input.device.imaging) }
        return (StreamRequest(pixelFormat: now.pixelFormat, size: now.size), input.device.imaging)
      }
    }
    status.interruption = inputs.lazy.compactMap(\.interruption?.text).first
    status.error = failure
    status.subscribers = members.count
    return status
  }

  /// Reports first the status, then events, until the session is closed or the watch is ended. Throws `resourceExhausted` if too many clients watch.
  public func watch() throws(CaptureError) -> SessionWatch {
    try watches.requireRoom(within: .watchesPerSession, of: "the session '\(name)'")
    let watch = SessionWatch(status(), ended: watches.ended)
    if endReason == nil { watches.add(watch) } else { watch.end() }
    return watch
  }

  func notify(_ kind: SessionEvent.Kind, _ text: String = "") {
    let event = SessionEvent(kind, text: text, status: status())
    for watch in watches.listening { watch.notify(event) }
  }

  func requireOpen() throws(CaptureError) {
    if let endReason { throw endReason }
  }

  /// Throws if the session has ended, or if it was never configured. In the second case its first configuration has failed, and the call that tried
  /// it closes the session.
  func requireMade() throws(CaptureError) {
    try requireOpen()
    guard revision > 0 else { throw notMade }
  }

  /// Stores the session as a client wants it: an interruption of the session does not change what is stored.
  func save() {
    saved?.save(SessionMemory(configuration, isRunning: isRunning, owner: owner.name, client: owner.client))
  }

  // MARK: End

  /// Closes the session for good: stops it, releases its cameras, and ends its subscribers with `reason`.
  func close(_ reason: CaptureError) async { await end(reason, isClosed: true) }

  /// As ``close(_:)``, for a caller that has entered the gate.
  func closeInTurn(_ reason: CaptureError) async {
    guard endReason == nil else { return }
    endReason = reason
    await endInTurn(reason, isClosed: true)
  }

  /// `isClosed`: whether watchers are told that the session is closed; `false`: only this run of the node ends.
  private func end(_ reason: CaptureError, isClosed: Bool) async {
    guard endReason == nil else { return }
    endReason = reason
    await gate.enterToCleanUp()
    defer { gate.leave() }
    await endInTurn(reason, isClosed: isClosed)
  }

  private func endInTurn(_ reason: CaptureError, isClosed: Bool) async {
    for member in members { member.subscription.account.end(reason) }
    await release(inputs)
    for index in members.indices { members[index].leave() }
    (inputs, members, isRunning) = ([], [], false)
    if isClosed { notify(.closed, reason.message) }
    for watch in watches.listening { watch.end() }
  }

  /// Ends the session because the node shuts down. This does not close it: a session with a name is there again when the node restarts.
  func drain(_ reason: CaptureError) async {
    if isRunning { notify(.interrupted(.nodeDraining), reason.message) }
    await end(reason, isClosed: false)
  }

  /// The error of a session whose first configuration failed.
  nonisolated var notMade: CaptureError { Self.notMade(name) }

  static func notMade(_ name: String) -> CaptureError {
    CaptureError(.aborted, "the session '\(name)' was not made", .init(.sessionClosed))
  }

  func release(_ inputs: [Input]) async {
    for input in inputs { await input.device.release(input.reservation) }
  }

  /// Runs `body` on the session, in the order of these calls.
  nonisolated func enqueue(_ body: @escaping @Sendable (isolated Session) -> Void) {
    executor.queue.async { self.assumeIsolated(body) }
  }
}

/// The owner of a session.
public struct SessionOwner: Hashable, Sendable {
  /// The connection with which a session without a name ends.
  public var connection: UInt64
  /// The owner's name, for a person.
  public var name: String
  /// The owner's name in access control; `nil`: it is no client.
  public var client: String?
  /// The name that all connections of the owner share: a client's name in access control, or "user 1000". Empty: nobody knows it.
  public var caller: String

  public init(connection: UInt64, name: String, client: String? = nil, caller: String = "") {
    self.connection = connection
    self.name = name
    (self.client, self.caller) = (client, caller)
  }
}
