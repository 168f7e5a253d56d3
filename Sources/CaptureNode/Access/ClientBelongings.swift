import CaptureEngine
import CaptureWire

/// What clients have at the node besides their connections. It ends with clients that the node no longer knows.
struct ClientBelongings: Sendable {
  let engine: CaptureEngine
  let leases: Leases
  let jobs: NodeJobs

  /// What came of ending them.
  struct Ended: Hashable, Sendable {
    /// The sessions that were closed, and those that stay since others take frames of them.
    var sessions: [String] = []
    var usedSessions: [String] = []
    /// The jobs that were stopped.
    var jobs: [String] = []
    /// What goes on, and why, for a person.
    var problems: [String] = []

    var isEmpty: Bool { self == Ended() }
  }

  /// Ends the leases of clients, also those that outlive their connections.
  func endLeases(of clients: Set<String>) { leases.clientsRevoked(clients) }

  /// What becomes of jobs.
  enum Jobs: Sendable {
    /// They stop, also those that were to go on.
    case stop
    /// Those that were not to go on stop.
    case stopUnkept
    /// They are to go on.
    case keep
    /// Nothing.
    case leave
  }

  /// Lets the jobs of clients go on when these are not known any more.
  func keepJobs(of clients: Set<String>) async { _ = await jobs.keep(of: clients) }

  /// Closes the named sessions of clients that nobody else uses, and ends or keeps their jobs. Returns once that would survive a power cut.
  func end(of clients: Set<String>, jobs fate: Jobs) async -> Ended {
    var ended = Ended()
    switch fate {
    case .stop, .stopUnkept:
      (ended.jobs, ended.problems) = await jobs.clientsRevoked(clients, sparesKept: fate == .stopUnkept)
    case .keep: ended.problems = await jobs.keep(of: clients)
    case .leave: break
    }
    let sessions = await engine.clientsRevoked(clients)
    (ended.sessions, ended.usedSessions) = (sessions.closed, sessions.used)
    ended.problems += sessions.problems
    return ended
  }
}
