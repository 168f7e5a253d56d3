public import CaptureModel

/// Hides sessions from callers. A caller sees a session if it sees all of its cameras. Only its owner sees a session without cameras.
extension CaptureEngine {
  func sees(_ caller: Caller, _ session: Session) async -> Bool {
    if caller.cameras.isEvery { return true }
    return sees(caller, cameras: await session.inputs.map(\.asked.camera), of: session.owner)
  }

  private func sees(_ caller: Caller, cameras: [String], of owner: SessionOwner) -> Bool {
    guard !cameras.isEmpty else { return owner.client == caller.name }
    return cameras.allSatisfy { caller.cameras.contains(camera: $0) }
  }

  func sees(_ caller: Caller, dormant name: String) -> Bool {
    if caller.cameras.isEvery { return true }
    guard let memory = sessionTable.dormant[name] else { return false }
    return sees(
      caller, cameras: memory.configuration.inputs.map(\.camera),
      of: SessionOwner(connection: 0, name: memory.owner, client: memory.client))
  }

  /// The names of the sessions that exist, and of those among them that `caller` does not see.
  func names(for caller: Caller) async -> (seen: [String], hidden: [String]) {
    var (seen, hidden): ([String], [String]) = ([], [])
    for (name, session) in sessionTable.sessions {
      if await sees(caller, session) { seen.append(name) } else { hidden.append(name) }
    }
    return (seen.sorted(), hidden)
  }

  /// The names of the sessions that `caller` does not see, also of those that wait for their cameras.
  public func hiddenSessions(from caller: Caller) async -> [String] {
    let dormant = sessionTable.dormant.keys.filter { !sees(caller, dormant: $0) }
    return await names(for: caller).hidden + dormant
  }

  /// Whether a status of a session is one that `caller` may see.
  public nonisolated static func sees(_ caller: Caller, _ status: SessionStatus) -> Bool {
    status.configuration.inputs.allSatisfy { caller.cameras.contains(camera: $0.camera) }
  }

  /// Throws `alreadyExists` for the name of a session that `caller` does not see.
  func requireSeen(_ name: String, by caller: Caller) async throws(CaptureError) {
    if caller.cameras.isEvery { return }
    if let session = sessionTable.sessions[name] {
      guard await sees(caller, session) else { throw Self.nameTaken(name) }
    } else if sessionTable.dormant[name] != nil, !sees(caller, dormant: name) {
      throw Self.nameTaken(name)
    }
  }

  /// Throws `notFound`, as for one that does not exist, for a session that `caller` does not see.
  func requireClosable(_ name: String, by caller: Caller) async throws(CaptureError) {
    if !sees(caller, dormant: name) { _ = try await session(name, for: caller) }
  }

  static func nameTaken(_ name: String) -> CaptureError {
    CaptureError(
      .alreadyExists, "there is a session '\(name)' already",
      .init(.nameTaken, field: "session", asked: .text(name)))
  }
}
