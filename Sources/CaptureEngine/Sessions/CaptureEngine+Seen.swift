public import CaptureModel

/// Hides sessions from callers. A caller sees a session if it sees all of its cameras. Only its owner sees a session without cameras.
extension CaptureEngine {
  /// Whether `caller` sees a session.
  func isVisible(_ session: Session, to caller: Caller) async -> Bool {
    if caller.cameras.isEvery { return true }
    return areVisible(await session.inputs.map(\.asked.camera), of: session.owner, to: caller)
  }

  private func areVisible(_ cameras: [String], of owner: SessionOwner, to caller: Caller) -> Bool {
    guard !cameras.isEmpty else { return owner.client == caller.name }
    return cameras.allSatisfy { caller.cameras.contains(camera: $0) }
  }

  /// Whether `caller` sees a session that waits for its cameras.
  func isDormantVisible(_ name: String, to caller: Caller) -> Bool {
    if caller.cameras.isEvery { return true }
    guard let memory = sessionTable.dormant[name] else { return false }
    return areVisible(
      memory.configuration.inputs.map(\.camera),
      of: SessionOwner(connection: 0, name: memory.owner, client: memory.client), to: caller)
  }

  /// The names of the sessions that `caller` sees, and of the others. Sessions that wait for their cameras are left out.
  func names(for caller: Caller) async -> (seen: [String], hidden: [String]) {
    var (seen, hidden): ([String], [String]) = ([], [])
    for (name, session) in sessionTable.sessions {
      if await isVisible(session, to: caller) { seen.append(name) } else { hidden.append(name) }
    }
    return (seen.sorted(), hidden)
  }

  /// The names of the sessions that `caller` does not see, including sessions that wait for their cameras.
  public func hiddenSessions(from caller: Caller) async -> [String] {
    let dormant = sessionTable.dormant.keys.filter { !isDormantVisible($0, to: caller) }
    return await names(for: caller).hidden + dormant
  }

  /// Whether `caller` may see a status of a session.
  public nonisolated static func isVisible(_ status: SessionStatus, to caller: Caller) -> Bool {
    status.configuration.inputs.allSatisfy { caller.cameras.contains(camera: $0.camera) }
  }

  /// Throws `alreadyExists` for the name of a session that `caller` does not see.
  func requireSeen(_ name: String, by caller: Caller) async throws(CaptureError) {
    if caller.cameras.isEvery { return }
    if let session = sessionTable.sessions[name] {
      guard await isVisible(session, to: caller) else { throw Self.nameTaken(name) }
    } else if sessionTable.dormant[name] != nil, !isDormantVisible(name, to: caller) {
      throw Self.nameTaken(name)
    }
  }

  /// Throws `notFound`, as for one that does not exist, for a session that `caller` does not see.
  func requireClosable(_ name: String, by caller: Caller) async throws(CaptureError) {
    if !isDormantVisible(name, to: caller) { _ = try await session(name, for: caller) }
  }

  static func nameTaken(_ name: String) -> CaptureError {
    CaptureError(
      .alreadyExists, "there is a session '\(name)' already",
      .init(.nameTaken, field: "session", asked: .text(name)))
  }
}
