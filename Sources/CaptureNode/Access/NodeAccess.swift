import CaptureAccess
public import CaptureModel
import CaptureSystem
public import CaptureTLS
public import CaptureTransport
public import CaptureWire
import Dispatch
import Glibc
import Synchronization

/// Controls who may use a node: it knows the node's clients, pairs new ones, and opens the node to the network.
public final class NodeAccess: AccessGuard {
  struct State {
    var contents = AccessFiles.Contents()
    /// Why the file of clients could not be read; it is then not written either. `nil`: it was read.
    var readFailure: AccessFileError?
    /// Whether the file may lack what has taken effect, or have what has not: a write may fail after it has replaced the file.
    var isUnwritten = false
    /// Whether a retry that a client has caused by its Hello is under way.
    var isRetrying = false
    /// When clients may cause the next retry, by the node's ``clock``.
    var nextRetry: UInt64 = 0
    /// The clients whose new secrets are being stored.
    var rotating: Set<String> = []
    /// Opens the node to the network again, or closes it, once a file of clients that could not be read at first has been read.
    var reopening: Task<Void, Never>?
    var identity: TLSIdentity?
    var tls: TLSContext?
    weak var server: NodeServer?
    /// The identities of all cameras that the node has had since its start.
    var cameras: @Sendable () -> [CameraID] = { [] }
    /// The leases, sessions and jobs of clients; `nil`: the node does not serve yet.
    var belongings: ClientBelongings?
    /// The port at which ``open(port:besidesOthers:)`` has opened the node; `nil`: it has not.
    var openPort: UInt16?
    /// The loopback listeners that had this port before.
    var takenOver: [(address: SocketAddress, policy: ListenerPolicy)] = []
    /// Why the node does not listen any more at loopback addresses that it had.
    var lostListeners: [String] = []
    var configured: [ConfiguredClient] = []
    var problems: [String] = []
    var startedWith = NodeSettings()
    /// The listeners of these settings. A name that leads to this machine alone is replaced by its address, so that it counts as no address of the
    /// network.
    var listen: [ListenSetting] = []
    /// The configured certificate that is in use; `nil`: the node's own is.
    var certificate: ConfiguredTLS?
    var read: (@Sendable () throws(ConfigurationError) -> NodeSettings)?
    /// Wakes the waiting calls when a request or a denial expires; `nil`: there is none.
    var expiryTask: Task<Void, Never>?
  }
  let state: Mutex<State>
  let files: AccessFiles?
  let report: @Sendable (LogLevel, String) -> Void
  /// Nanoseconds of `CLOCK_MONOTONIC`.
  private let clock: @Sendable () -> UInt64
  private static let retryPause: UInt64 = 1_000_000_000
  private let failures = NoticeLimiter()
  let news = AccessNews()
  /// Openings, closings and changes of the key run one at a time.
  let openings = Turns()
  /// Changes are made and written to the file one after the other, on this queue.
  let queue = DispatchQueue(label: "access")

  /// `state`: the node's state file, beside which its clients are kept; `nil`: nothing is kept, and no client can be paired.
  public convenience init(
    state path: String?, report: @escaping @Sendable (LogLevel, String) -> Void
  ) {
    self.init(state: path, report: report, clock: MonotonicClock.now)
  }

  init(
    state path: String?, report: @escaping @Sendable (LogLevel, String) -> Void,
    clock: @escaping @Sendable () -> UInt64
  ) {
    files = path.map { AccessFiles(beside: $0) }
    (self.report, self.clock) = (report, clock)
    var state = State()
    if let files { (state.contents, state.readFailure) = files.read() }
    if let readFailure = state.readFailure { report(.error, "\(readFailure)") }
    self.state = Mutex(state)
  }

  /// `cameras`: the identities of all cameras that the node has had since its start. `belongings`: the leases, sessions and jobs of clients.
  func attach(
    to server: NodeServer, cameras: @escaping @Sendable () -> [CameraID], belongings: ClientBelongings
  ) {
    state.withLock { ($0.server, $0.cameras, $0.belongings) = (server, cameras, belongings) }
  }
  var cameras: [CameraID] { state.withLock { $0.cameras }() }
  var server: NodeServer? { state.withLock { $0.server } }

  // MARK: The guard

  public var tls: TLSContext? { state.withLock { $0.tls } }

  public func permit(_ request: (any WireMessage)?, of context: CallContext) throws(RPCError) -> Caller {
    do throws(RPCError) {
      return try AccessRules.permit(context.method, request, for: context.caller)
    } catch {
      if awaitsDecision(request, of: context) { return context.caller.withCamerasSeen(in: .video) }
      throw addingAdvice(to: error, request, of: context)
    }
  }

  public func identify(_ arrival: Arrival, credential: [UInt8]) throws(RPCError) -> Caller {
    var caller = try credential.isEmpty ? callerWithoutCredential(arrival) : caller(with: credential, arrival)
    caller.isEncrypted = arrival.isEncrypted
    return caller
  }

  /// Reports a failed attempt to be identified or paired. Strangers may try as often as they like, so the log gets at most one line of each kind a
  /// second.
  func reportFailure(_ level: LogLevel, of kind: String, _ text: String) {
    guard let line = failures.admit(text, of: kind, at: clock()) else { return }
    report(level, line)
  }

  static func utc() -> Int64 { Int64(time(nil)) }

  static func boottime() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  // MARK: Changes

  /// Runs `body` on the clients and requests. If `body` returns `needsDisk`, the change is written to the file before it takes effect.
  /// `takesEffectUnwritten`: the change takes effect even if it cannot be written; the error is thrown all the same, and the next change tries to
  /// write this one again. `isOfClient`: a client causes the change, and may do so as often as it likes. All such changes together retry at most once
  /// a second what could not be read or written before.
  func change<Value: Sendable>(
    isOfClient: Bool = false, takesEffectUnwritten: Bool = false,
    _ body:
      @escaping @Sendable (inout AccessFiles.Contents) throws(RPCError) -> (value: Value, needsDisk: Bool)
  ) async throws(RPCError) -> Value {
    let result = await withCheckedContinuation {
      (done: CheckedContinuation<Result<Value, RPCError>, Never>) in
      queue.async {
        do throws(RPCError) {
          self.retry(isOfClient: isOfClient)
          var contents = self.state.withLock { $0.contents }
          let (value, needsDisk) = try body(&contents)
          if needsDisk, takesEffectUnwritten {
            self.state.withLock { [contents] in ($0.contents, $0.isUnwritten) = (contents, self.files != nil)
            }
          }
          if needsDisk { try self.write(contents) }
          self.state.withLock { [contents] in $0.contents = contents }
          done.resume(returning: .success(value))
        } catch {
          done.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private func write(_ contents: AccessFiles.Contents) throws(RPCError) {
    guard let files else {
      throw RPCError(
        .failedPrecondition,
        "this node keeps no state, so it cannot know anybody: start it with --state FILE",
        .init(.stateNotWritable))
    }
    try requireRead()
    do throws(AccessFileError) { try files.write(contents) } catch {
      state.withLock { $0.isUnwritten = true }
      throw RPCError(.resourceExhausted, error.description, .init(.stateNotWritable))
    }
    state.withLock { $0.isUnwritten = false }
  }

  var isUnwritten: Bool { state.withLock { $0.isUnwritten } }

  /// Tries again to write what could not be written, now that a client has used its credential. However often clients come, one retry waits or runs
  /// at a time.
  func retryForClient() {
    let isDue = state.withLock { state in
      guard state.isUnwritten, !state.isRetrying, clock() >= state.nextRetry else { return false }
      state.isRetrying = true
      return true
    }
    guard isDue else { return }
    queue.async {
      self.retry(isOfClient: true)
      self.state.withLock { $0.isRetrying = false }
    }
  }

  /// Reads the file of clients again if it could not be read, and writes what could not be written. An error that was reported before is not reported
  /// again.
  private func retry(isOfClient: Bool) {
    let (isNeeded, isDue) = state.withLock {
      ($0.readFailure != nil || $0.isUnwritten, !isOfClient || clock() >= $0.nextRetry)
    }
    guard isNeeded, isDue else { return }
    defer { state.withLock { $0.nextRetry = clock() + Self.retryPause } }
    let wasUnwritten = isUnwritten
    readAgain()
    guard isUnwritten else { return }
    do throws(RPCError) {
      try write(state.withLock { $0.contents })
      report(.info, "what the file of clients lacked is stored now")
    } catch {
      guard !wasUnwritten else { return }
      report(
        .error,
        "what the file of clients lacks, invalid secrets or that the node was closed, holds only until the node's next start, since it cannot be stored: \(error.text)"
      )
    }
  }

  var readFailure: AccessFileError? { state.withLock { $0.readFailure } }

  /// Throws where the file of clients could not be read.
  func requireRead() throws(RPCError) {
    guard let readFailure else { return }
    throw RPCError(.failedPrecondition, readFailure.description, .init(.stateNotWritable))
  }

  /// Reads the file of clients again if it could not be read, and throws if it still cannot.
  func requireReadNow() async throws(RPCError) {
    guard readFailure != nil else { return }
    try await change { (_) throws(RPCError) in (value: (), needsDisk: false) }
    try requireRead()
  }

  /// Reads the file of clients again where it could not be read: it may have been repaired, or moved away.
  private func readAgain() {
    guard let files, readFailure != nil else { return }
    let (contents, problem) = files.read()
    let (configured, problems, isClosed) = state.withLock { state in
      state.readFailure = problem
      let isMore = state.contents.book.replaceClients(from: contents.book)
      let isOpenThere = state.contents.isClosed && !contents.isClosed
      if problem == nil, isMore || isOpenThere { state.isUnwritten = true }
      // A node that was closed meanwhile stays closed.
      if contents.isClosed { state.contents.isClosed = true }
      state.contents.port = state.contents.isClosed ? nil : contents.port
      return (state.configured, state.problems, state.contents.isClosed)
    }
    setConfigured(configured, problems: problems)
    guard problem == nil else { return }
    report(.info, "the file of clients was repaired or moved away, and counts again")
    let reopening = Task {
      if isClosed { await closeAsStored() } else { await reopen() }
    }
    state.withLock { $0.reopening = reopening }
  }

  /// Ends the connections of clients, and their leases. Returns how many connections those were.
  func cut(_ names: Set<String>) async -> Int {
    let reason = RPCError(.unauthenticated, "the credential was revoked", .init(.credentialRefused))
    let ended =
      await server?.end(reason) { caller, _ in caller.kind == .client && names.contains(caller.name) } ?? 0
    // The leases end after the connections, so that no call takes another lease.
    state.withLock { $0.belongings }?.endLeases(of: names)
    return ended
  }

  /// Ends the leases of clients that the node no longer knows, their named sessions that nobody else uses, and their jobs. It runs to its end even if
  /// the calling task is cancelled.
  @discardableResult
  func endBelongings(of names: Set<String>, jobs: ClientBelongings.Jobs = .stop) async
    -> ClientBelongings.Ended
  {
    guard !names.isEmpty, let belongings = state.withLock({ $0.belongings }) else { return .init() }
    belongings.endLeases(of: names)
    let ended = await Task { await belongings.end(of: names, jobs: jobs) }.value
    let whose = names.sorted().joined(separator: ", ")
    for session in ended.sessions { report(.info, "closed the session '\(session)' of \(whose)") }
    for job in ended.jobs { report(.info, "stopped the job '\(job)' of \(whose)") }
    for problem in ended.problems { report(.error, "of \(whose), which is no longer known: \(problem)") }
    return ended
  }
}
