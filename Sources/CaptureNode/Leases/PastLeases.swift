import CaptureModel

/// The latest leases that have ended, so that clients that still use them can be told. Leases that were ended by force are in a list of their own, as
/// long as the other one: a client that acquires and gives back many leases does not push them out.
struct PastLeases: Sendable {
  enum End: Hashable, Sendable {
    case expired, released
    /// The lease ended with its connection.
    case connectionClosed
    /// The access of the lease's client was revoked.
    case revoked
    /// Somebody else ended the lease by force; the text is that caller's name.
    case taken(String)
  }
  private struct Entry: Sendable {
    let token: LeaseToken
    let camera: CameraID
    let moment: UInt64
    let end: End
  }
  static let kept = NodeLimit.endedLeases.usual

  private var ended: [Entry] = []
  private var taken: [Entry] = []

  mutating func add(_ lease: Lease, at moment: UInt64, _ end: End) {
    let entry = Entry(token: lease.token, camera: lease.camera, moment: moment, end: end)
    if case .taken = end { Self.add(entry, to: &taken) } else { Self.add(entry, to: &ended) }
  }

  private static func add(_ entry: Entry, to entries: inout [Entry]) {
    if entries.count == kept { entries.removeFirst() }
    entries.append(entry)
  }

  /// The error for an invalid token: `aborted`, with the name of who ended the lease, where it was ended by force; otherwise `code`.
  func absence(of token: LeaseToken, at now: UInt64, _ code: CaptureError.Code) -> CaptureError {
    guard let entry = taken.last(where: { $0.token == token }) ?? ended.last(where: { $0.token == token })
    else {
      return CaptureError(
        code,
        "no such lease: the node does not know this token, or has restarted since; acquire a new one",
        .init(.leaseUnknown))
    }
    let age = Duration.nanoseconds(now > entry.moment ? now - entry.moment : 0).shortText
    let lease = "the lease of camera '\(entry.camera)'"
    let remedy = "acquire a new one"
    func over(_ how: String) -> CaptureError {
      CaptureError(
        code, "\(lease) \(how) \(age) ago; \(remedy)", .init(.leaseExpired, device: entry.camera.rawValue))
    }
    switch entry.end {
    case .expired: return over("expired")
    case .released: return over("was given back")
    case .connectionClosed: return over("ended with its connection")
    case .revoked: return over("ended with the access of its client")
    case .taken(let name):
      return CaptureError(
        .aborted, "\(lease) was ended by force by \(name) \(age) ago; \(remedy)",
        .init(.leaseLost, holder: name, device: entry.camera.rawValue))
    }
  }
}
