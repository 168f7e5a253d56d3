import CaptureModel

/// What happened to the named sessions of clients that the node no longer knows.
public struct RevokedSessions: Hashable, Sendable {
  /// The names of the sessions that were closed.
  public var closed: [String] = []
  /// The names of the sessions that stay because other clients take frames of them.
  public var used: [String] = []
  /// Why sessions could not be closed, for a person.
  public var problems: [String] = []
}

extension CaptureEngine {
  /// Closes the named sessions of clients that the node no longer knows, also sessions that wait for their cameras. A session stays if other clients
  /// take frames of it. Returns once the change would survive a power cut.
  public func clientsRevoked(_ names: Set<String>) async -> RevokedSessions {
    var revoked = RevokedSessions()
    for name in sessions(of: names) {
      if let session = sessionTable.sessions[name], session.belongs(to: names),
        await session.isUsed(besides: names)
      {
        revoked.used.append(name)
        continue
      }
      do throws(CaptureError) {
        try await closeSession(name, of: names)
        revoked.closed.append(name)
      } catch  where error.code == .notFound {
        // Somebody else has closed the session meanwhile, and may have made another one with its name.
      } catch {
        revoked.problems.append(error.message)
      }
    }
    return revoked
  }

  /// The names of the named sessions that belong to these clients.
  private func sessions(of clients: Set<String>) -> [String] {
    let open = sessionTable.sessions.values.filter { $0.belongs(to: clients) }
    let dormant = sessionTable.dormant.filter { $0.value.client.map(clients.contains) == true }
    return Set(open.map(\.name) + dormant.keys).sorted()
  }
}

extension Session {
  /// Whether the session has a name and belongs to one of these clients.
  fileprivate nonisolated func belongs(to clients: Set<String>) -> Bool {
    isNamed && owner.client.map(clients.contains) == true
  }

  /// Whether somebody other than these clients takes frames of the session.
  fileprivate func isUsed(besides clients: Set<String>) -> Bool {
    members.contains { !$0.isOver && $0.subscription.client.map(clients.contains) != true }
  }
}
