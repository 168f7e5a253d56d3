import CaptureModel
import CaptureSystem

/// Cameras that run together, and where their pictures go. `AVCaptureSession`.
///
/// It has its cameras from the moment it is configured, and runs them from its start to its stop whether or not anybody looks.
/// Changes take turns. Subscribers sit in the stream of the camera that their output is connected to, and are moved when that changes.
public actor Session {
  public nonisolated let name: String
  /// Lives until it is closed; others end with their owner's connection.
  public nonisolated let isNamed: Bool
  nonisolated let owner: SessionOwner
  private nonisolated let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// Of changes.
  let turn = Turnstile()
  /// Keeps what clients made of it; `nil`: nobody does.
  let keeper: SessionKeeper?

  /// A camera that it has.
  struct Input {
    let device: Device
    let hold: CameraHold
    var asked: SessionConfiguration.Input
    /// What that comes to.
    var wanted: StreamRequest
    /// While it gives frames, or may soon again.
    var stream: SessionStream?
    /// Why it gives none though the session runs.
    var trouble: Trouble?
  }

  struct Trouble {
    var kind: SessionEvent.Interruption
    var text: String
  }

  var configuration = SessionConfiguration()
  /// In the order of the configuration.
  var inputs: [Input] = []
  var members: [SessionMember] = []
  var isRunning = false {
    didSet { if isRunning { failure = nil } }
  }
  /// Why it stopped by itself.
  var failure: CaptureError?
  var revision: UInt64 = 0
  private let watches = WatchList<SessionWatch>()
  private var end: CaptureError?

  init(name: String, isNamed: Bool, owner: SessionOwner, keeper: SessionKeeper? = nil) {
    self.keeper = keeper
    self.name = name
    self.isNamed = isNamed
    self.owner = owner
    executor = QueueExecutor(label: "session-\(name)")
  }

  // MARK: Looking at it

  /// How it is.
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
    status.interruption = inputs.lazy.compactMap(\.trouble?.text).first
    status.error = failure
    status.subscribers = members.count
    return status
  }

  /// First how it is, then what happens to it, until it is closed or the watch is ended.
  public func watch() -> SessionWatch {
    let watch = SessionWatch(status(), ended: watches.ended)
    if end == nil { watches.add(watch) } else { watch.end() }
    return watch
  }

  func tell(_ kind: SessionEvent.Kind, _ text: String = "") {
    let event = SessionEvent(kind, text: text, status: status())
    for watch in watches.listening { watch.tell(event) }
  }

  func requireOpen() throws(CaptureError) {
    if let end { throw end }
  }

  /// A client changed it. It is kept as it should be, whatever interrupts it.
  func keep() { keeper?.keep(SessionMemory(configuration, isRunning: isRunning, owner: owner.name)) }

  // MARK: Its end

  /// Stops it, lets go of its cameras, and ends its subscribers with `error`.
  func close(_ error: CaptureError) async {
    guard end == nil else { return }
    end = error
    await turn.enterToCleanUp()
    defer { turn.leave() }
    for member in members { member.subscription.account.end(error) }
    await release(inputs)
    for index in members.indices { members[index].stand() }
    (inputs, members, isRunning) = ([], [], false)
    tell(.closed, error.message)
    for watch in watches.listening { watch.end() }
  }

  /// As ``close(_:)``, because the node shuts down.
  func drain(_ error: CaptureError) async {
    if isRunning { tell(.interrupted(.nodeDraining), error.message) }
    await close(error)
  }

  /// Never configured: its first configuration failed.
  var isEmpty: Bool { revision == 0 }

  func release(_ inputs: [Input]) async {
    for input in inputs { await input.device.release(input.hold) }
  }

  /// Runs `body` on the session, in the order of these calls.
  nonisolated func enqueue(_ body: @escaping @Sendable (isolated Session) -> Void) {
    executor.queue.async { self.assumeIsolated(body) }
  }
}

/// Whose session it is.
public struct SessionOwner: Hashable, Sendable {
  /// The connection that a session without a name lives as long as.
  public var connection: UInt64
  /// For a person.
  public var name: String

  public init(connection: UInt64, name: String) {
    self.connection = connection
    self.name = name
  }
}
