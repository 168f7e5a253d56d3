import CaptureModel

/// The sessions of a node.
struct SessionTable {
  /// The sessions by name.
  var sessions: [String: Session] = [:]
  /// How many sessions without a name there have been.
  var unnamed: UInt64 = 0
  /// The sessions of the node's last run whose cameras are not there yet.
  var dormant: [String: SessionMemory] = [:]
  /// Why dormant sessions could not be made again, by name.
  var refusals: [String: String] = [:]
  /// An attempt to make a dormant session again.
  struct Attempt {
    let cameras: Set<String>
    let task: Task<Void, Never>
    /// Whether earlier attempts for the same cameras are still under way.
    var isWaiting = true
  }
  /// The latest attempt for each session, by name.
  var attempts: [String: Attempt] = [:]
  /// Lets one change of the stored sessions at a time wait for the disk.
  let storing = Gate(.storing)

  /// Removes a session from the dormant ones.
  mutating func removeDormant(_ name: String) { (dormant[name], refusals[name]) = (nil, nil) }
}

extension CaptureEngine {
  /// Makes or changes a session: all of `configuration` applies, or nothing. `name`: empty for a new session that ends with its owner's connection.
  /// `revision`: the revision for which the change was made; 0: any. `starts`: whether the session starts in the same step. `mustBeNew`: whether a
  /// session of that name is an error.
  ///
  /// With `isOnlyChecked` the call returns the status that the session would have, and changes nothing (`canAddInput`, `canAddOutput`). It then
  /// reserves no camera and starts no stream, so it does not find out that the bus has no room, or that another program uses a camera. `isRestored`:
  /// whether the session is one of the node's last run; if it starts, the call does not wait for its cameras.
  ///
  /// Throws `invalidArgument` for what is impossible, `notFound` for a camera that is not there, `alreadyExists` for a name that is taken,
  /// `failedPrecondition` for a camera that is taken, `aborted` for another revision, `resourceExhausted` if a limit is reached or streams cannot run
  /// beside each other, and `unavailable` if a named session cannot be stored.
  public func configureSession(
    _ name: String, _ configuration: SessionConfiguration, revision: UInt64 = 0, starts: Bool = false,
    mustBeNew: Bool = false, isOnlyChecked: Bool = false, owner: SessionOwner,
    for caller: Caller = .trusted, isRestored: Bool = false
  ) async throws(CaptureError) -> SessionStatus {
    // Another client may have made the session that is found here, and may then fail to configure it. In that case this is tried again.
    for _ in 0..<Self.mostAttempts {
      let status = try await configureOnce(
        name, configuration, revision: revision, starts: starts, mustBeNew: mustBeNew,
        isOnlyChecked: isOnlyChecked, owner: owner, for: caller, isRestored: isRestored)
      if let status { return status }
    }
    throw Session.notMade(name)
  }

  /// How many attempts a call makes to configure a session.
  private static let mostAttempts = 8

  /// Returns `nil` if another client's call had made the session, and the session ended before it was configured: the next attempt makes a new one.
  private func configureOnce(
    _ name: String, _ configuration: SessionConfiguration, revision: UInt64, starts: Bool, mustBeNew: Bool,
    isOnlyChecked: Bool, owner: SessionOwner, for caller: Caller, isRestored: Bool
  ) async throws(CaptureError) -> SessionStatus? {
    if mustBeNew { try requireUnused(name) }
    try await requireSeen(name, by: caller)
    let (configuration, cameras) = try resolved(configuration, among: caller.cameras)
    let known = sessionTable.sessions[name]
    if known == nil { try requireRoom(for: name, revision: revision) }
    if isOnlyChecked {
      let session = known ?? Session(name: name, isNamed: !name.isEmpty, owner: owner)
      return try await session.check(configuration, cameras: cameras, revision: revision, starts: starts)
    }
    let session = known ?? newSession(name, owner: owner)
    do throws(CaptureError) {
      let status = try await session.configure(
        configuration, cameras: cameras, revision: revision, starts: starts, isNew: known == nil,
        isRestored: isRestored)
      // The owner's connection may have been closed before the session existed, so that nothing has ended the session.
      if !session.isNamed { try CaptureError.checkCancellation() }
      sessionTable.removeDormant(session.name)
      return status
    } catch {
      let wasMade = await session.revision > 0
      let isGone = error.details?.reason == .sessionClosed && !wasMade
      if known == nil || isGone { await close(session, session.notMade) }
      if isGone, session.isNamed, !isRestored { return nil }
      throw error
    }
  }

  /// Throws `alreadyExists` if a session of that name is there, or waits for its cameras.
  private func requireUnused(_ name: String) throws(CaptureError) {
    guard sessionTable.sessions[name] != nil || sessionTable.dormant[name] != nil else { return }
    throw Self.nameTaken(name)
  }

  /// Finds a session by name. Throws `notFound`, which lists the sessions, and `unavailable` for one that waits for its cameras.
  /// A session that `caller` does not see does not exist for it.
  public func session(_ name: String, for caller: Caller = .trusted) async throws(CaptureError) -> Session {
    if let session = sessionTable.sessions[name], await isVisible(session, to: caller) { return session }
    if isDormantVisible(name, to: caller), let reason = dormantStatus(name)?.interruption {
      throw CaptureError(
        .unavailable, "the session '\(name)' waits: \(reason)",
        .init(.sessionWaiting, field: "session", asked: .text(name)))
    }
    let possible = await names(for: caller).seen
    let names = possible.map { "'\($0)'" }.joined(separator: ", ")
    throw CaptureError(
      .notFound,
      "no session \(name.quoted); \(names.isEmpty ? "this node has none" : "there are: \(names)")",
      .init(.unknownName, field: "session", asked: .text(name), possible: possible))
  }

  /// The cameras of a session, if it exists, and those of the new configuration. Throws `notFound` for a camera that is not there.
  public func cameras(
    ofSession name: String, and configuration: SessionConfiguration?, for caller: Caller = .trusted
  ) async throws(CaptureError) -> [Device] {
    let wanted = try configuration.map { configuration throws(CaptureError) in
      try resolved(configuration, among: caller.cameras).1
    }
    // Cameras that the caller does not see are left out: the call is refused anyway, so nobody needs to check their leases.
    let present =
      await sessionTable.sessions[name]?.inputs.map(\.device).filter {
        caller.cameras.contains($0.id)
      } ?? []
    return present + (wanted ?? [:]).values.filter { device in !present.contains { $0 === device } }
  }

  /// The status of a session, even of one that waits for its cameras. Throws `notFound`, which lists the sessions.
  public func sessionStatus(
    _ name: String, for caller: Caller = .trusted
  ) async throws(CaptureError) -> SessionStatus {
    if sessionTable.sessions[name] == nil, isDormantVisible(name, to: caller),
      let status = dormantStatus(name)
    {
      return status
    }
    return try await session(name, for: caller).status()
  }

  /// Every configured session, by name, including those that wait for their cameras.
  public func sessions(for caller: Caller = .trusted) async -> [SessionStatus] {
    // The dormant sessions are listed first: one that is made again meanwhile must not be missed.
    let dormant = sessionTable.dormant.keys.filter { isDormantVisible($0, to: caller) }.compactMap {
      dormantStatus($0)
    }
    var found: [SessionStatus] = []
    for session in sessionTable.sessions.values where await isVisible(session, to: caller) {
      let status = await session.status()
      if status.revision > 0 { found.append(status) }
    }
    let names = found.map(\.name)
    found += dormant.filter { !names.contains($0.name) }
    return found.sorted { $0.name < $1.name }
  }

  /// Stops a session and removes it. Throws `notFound`, and `unavailable` where it cannot be removed from the store; then it stays.
  public func closeSession(_ name: String, for caller: Caller = .trusted) async throws(CaptureError) {
    if !caller.cameras.isEvery { try await requireClosable(name, by: caller) }
    try await closeSession(name, for: caller, of: nil)
  }

  /// Closes a session as ``closeSession(_:for:)`` does, but only a session of one of `clients`; `nil`: of anybody. Throws `notFound` if another
  /// client has made the session meanwhile.
  func closeSession(
    _ name: String, for caller: Caller = .trusted, of clients: Set<String>?
  ) async throws(CaptureError) {
    repeat {
      if sessionTable.sessions[name] == nil, let memory = sessionTable.dormant[name] {
        try requireOwner(memory.client, of: name, among: clients)
        try await closeDormant(name)
        // The session's cameras may have come meanwhile, so that the session was made again.
        if sessionTable.sessions[name] == nil { return }
      }
    } while try await !closeInTurn(session(name, for: caller), of: clients)
  }

  /// Closes a session when its turn comes: a change of it may be waiting for the disk, and may yet be taken back. Returns `false` if the session was
  /// gone by then, because another call has closed it or could not make it. If the session belongs to none of `clients` and was never configured, but
  /// one of them has a dormant session of the same name, the dormant session is closed.
  private func closeInTurn(
    _ session: Session, of clients: Set<String>?
  ) async throws(CaptureError) -> Bool {
    let name = session.name
    // The caller may give up while a driver is slow; the session is to be closed all the same.
    await session.gate.enterToCleanUp()
    defer { session.gate.leave() }
    let isMade = await session.revision > 0
    guard sessionTable.sessions[name] === session else { return false }
    do throws(CaptureError) { try requireOwner(session.owner.client, of: name, among: clients) } catch {
      guard !isMade, let memory = sessionTable.dormant[name] else { throw error }
      try requireOwner(memory.client, of: name, among: clients)
      try await closeDormant(name)
      return true
    }
    if let saved = session.saved, saved.memory != nil {
      try await saved.storeDurably(nil, orElse: "the session '\(name)' was not closed")
    }
    sessionTable.removeDormant(name)
    remove(session)
    await session.closeInTurn(
      CaptureError(.unavailable, "the session '\(name)' was closed", .init(.sessionClosed)))
    return true
  }

  /// Removes a session of the node's last run that was not made again.
  private func closeDormant(_ name: String) async throws(CaptureError) {
    try await saved(name).storeDurably(nil, orElse: "the session '\(name)' was not closed")
    sessionTable.removeDormant(name)
  }

  private func requireOwner(
    _ client: String?, of name: String, among clients: Set<String>?
  ) throws(CaptureError) {
    guard let clients, client.map(clients.contains) != true else { return }
    throw CaptureError(
      .notFound, "the session '\(name)' is another client's by now",
      .init(.unknownName, field: "session", asked: .text(name)))
  }

  private func saved(_ name: String) -> SavedSession {
    SavedSession(store: store, name: name, storing: sessionTable.storing)
  }

  /// Ends the sessions without a name that a connection has made, because the connection was closed.
  public func connectionClosed(_ connection: UInt64) async {
    for session in sessionTable.sessions.values
    where !session.isNamed && session.owner.connection == connection {
      await close(
        session,
        CaptureError(
          .unavailable, "the session '\(session.name)' ended with its owner's connection",
          .init(.sessionClosed)))
    }
  }

  func endSessions(_ error: CaptureError) async {
    // All sessions end at the same time, so that one whose driver does not answer does not delay the others.
    await withTaskGroup { group in
      for session in sessionTable.sessions.values { group.addTask { await session.drain(error) } }
    }
    sessionTable.sessions = [:]
  }

  private func close(_ session: Session, _ error: CaptureError) async {
    remove(session)
    await session.close(error)
  }

  /// Frees the session's name, unless a newer session has it.
  private func remove(_ session: Session) {
    if sessionTable.sessions[session.name] === session { sessionTable.sessions[session.name] = nil }
  }

  /// Throws unless a new session of that name can be made.
  private func requireRoom(for name: String, revision: UInt64) throws(CaptureError) {
    try requireRunning()
    if !name.isEmpty { try SessionName.validate(name) }
    guard revision == 0 else {
      throw CaptureError(
        .aborted, "there is no session \(name.quoted) any more",
        .init(.sessionClosed, field: "revision", asked: .number(Double(revision))))
    }
    guard sessionTable.sessions.count < NodeLimit.sessions.usual else {
      throw NodeLimit.sessions.exceeded(
        "this node has \(NodeLimit.sessions.usual) sessions, its most; close one of them")
    }
  }

  private func newSession(_ name: String, owner: SessionOwner) -> Session {
    let isNamed = !name.isEmpty
    if !isNamed { sessionTable.unnamed += 1 }
    let session = Session(
      name: isNamed ? name : SessionName.ofUnnamed(sessionTable.unnamed), isNamed: isNamed, owner: owner,
      saved: isNamed ? saved(name) : nil)
    sessionTable.sessions[session.name] = session
    return session
  }

  /// The configuration with the cameras' identities in place of the names that the client used, and their devices.
  private func resolved(
    _ configuration: SessionConfiguration, among scope: CameraScope = .every
  ) throws(CaptureError) -> (SessionConfiguration, [String: Device]) {
    var resolved = configuration
    var cameras: [String: Device] = [:]
    for index in resolved.inputs.indices {
      let device = try device(
        resolved.inputs[index].camera, among: scope, in: SessionConfiguration.path(ofInput: index))
      resolved.inputs[index].camera = device.id.rawValue
      cameras[device.id.rawValue] = device
    }
    for index in resolved.connections.indices where !resolved.connections[index].camera.isEmpty {
      resolved.connections[index].camera =
        try device(
          resolved.connections[index].camera, among: scope,
          in: SessionConfiguration.path(ofConnection: index)
        ).id.rawValue
    }
    return (resolved, cameras)
  }

  private func device(
    _ reference: String, among scope: CameraScope, in place: String
  ) throws(CaptureError) -> Device {
    do throws(CaptureError) {
      return try device(reference, among: scope)
    } catch {
      throw error.naming("\(place).\(CaptureError.deviceField)")
    }
  }
}
