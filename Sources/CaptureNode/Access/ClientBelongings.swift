import CaptureAccess
import CaptureEngine
import CaptureWire

/// The leases, named sessions and jobs of clients. They end when the node no longer knows the client.
struct ClientBelongings: Sendable {
  let engine: CaptureEngine
  let leases: Leases
  let jobs: NodeJobs

  /// What was ended, and what was not.
  struct Ended: Hashable, Sendable {
    /// The sessions that were closed.
    var sessions: [String] = []
    /// The sessions that stay open because others take frames from them.
    var usedSessions: [String] = []
    /// The jobs that were stopped.
    var jobs: [String] = []
    /// What could not be ended, and why, for a person.
    var problems: [String] = []

    var isEmpty: Bool { self == Ended() }
  }

  /// Ends the leases of clients, also those that outlive their connections. Users of the node's machine are no clients, so their
  /// leases stay.
  func endLeases(of clients: Set<String>) { leases.clientsRevoked(clients.filter(KnownClient.isName)) }

  /// What happens to the clients' jobs.
  enum Jobs: Sendable {
    /// All jobs stop, also those that were kept.
    case stop
    /// The jobs that were not kept stop.
    case stopUnkept
    /// All jobs are kept: they go on without their client.
    case keep
    /// Nothing happens to them.
    case leave
  }

  /// Lets the jobs of clients continue: they go on when the node no longer knows their client.
  func letJobsContinue(of clients: Set<String>) async { _ = await jobs.letJobsContinue(of: clients) }

  /// Closes those named sessions of the clients that nobody else uses, and stops or keeps their jobs. Returns once this is on disk.
  func end(of clients: Set<String>, jobs fate: Jobs) async -> Ended {
    var ended = Ended()
    switch fate {
    case .stop, .stopUnkept:
      (ended.jobs, ended.problems) = await jobs.clientsRevoked(clients, sparesKept: fate == .stopUnkept)
    case .keep: ended.problems = await jobs.letJobsContinue(of: clients)
    case .leave: break
    }
    let sessions = await engine.clientsRevoked(clients)
    (ended.sessions, ended.usedSessions) = (sessions.closed, sessions.used)
    ended.problems += sessions.problems
    return ended
  }
}
