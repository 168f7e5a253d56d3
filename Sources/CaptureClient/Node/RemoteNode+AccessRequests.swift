public import CaptureModel
internal import CaptureTLS
internal import CaptureWire

/// A client that has asked for more than it may.
public struct PendingAccess: Hashable, Sendable {
  /// Its name.
  public var client: String
  /// The request's number; another one that takes its place has another.
  public var number: UInt64
  /// The SHA-256 of the client's secret, in 64 digits, as ``RemoteNode/fingerprint`` is at the client. Empty: the node is older.
  public var fingerprint: String
  /// The role that the client has.
  public var role: AccessRole
  /// Patterns of the identities of the cameras that it sees; empty: every camera.
  public var cameras: [String]
  /// What it may; ``role`` and ``cameras`` are the most of it.
  public var grants: [AccessGrant]
  /// What it may once the request is approved.
  public var approved: [AccessGrant]
  /// What it asks for.
  public var wanted: WantedAccess
  /// The cameras of the node that it does not see, and would.
  public var devices: [CameraID]
  /// The address from which it has asked.
  public var peer: String
}

extension RemoteNode {
  /// The requests that nobody has decided, the oldest first. For an admin.
  public func accessRequests() async throws(CaptureError) -> [PendingAccess] {
    let answer = try await capturing { () async throws(RPCError) in
      try await AccessClient(connection).pending(PendingAccessRequest(), options: callOptions)
    }
    return answer.requests.map { request in
      PendingAccess(
        client: request.client, number: request.number, fingerprint: request.fingerprint.hexadecimal,
        role: AccessRole(request.role) ?? .view,
        cameras: request.cameras, grants: request.grants.compactMap { AccessGrant($0) },
        approved: request.approved.compactMap { AccessGrant($0) },
        wanted: request.wanted.map { WantedAccess($0) } ?? WantedAccess(cameras: [], media: [], asked: 0),
        devices: request.devices.map { CameraID(rawValue: $0) }, peer: request.peer)
    }
  }

  /// Gives a client what it has asked for, besides what it has, from its next call on. Returns what it may now. For an admin.
  ///
  /// `number`: of the request that is meant; `nil`: whichever it is. Throws `notFound` for a client that is not there any more, and `failedPrecondition` where
  /// it has no request, or another one.
  @discardableResult
  public func approveAccess(
    of client: String, number: UInt64? = nil
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    try await decide(client, number, approves: true)
  }

  /// Denies a client what it has asked for. It may ask again after an hour. Returns what it may, and throws, as ``approveAccess(of:number:)`` does. For an admin.
  @discardableResult
  public func denyAccess(
    of client: String, number: UInt64? = nil
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    try await decide(client, number, approves: false)
  }

  private func decide(
    _ client: String, _ number: UInt64?, approves: Bool
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    let answer = try await capturing { () async throws(RPCError) in
      try await AccessClient(connection).decide(
        DecideAccessRequest(client: client, approve: approves, number: number ?? 0), options: callOptions)
    }
    return (
      AccessRole(answer.role) ?? .view, answer.cameras, answer.grants.compactMap { AccessGrant($0) }
    )
  }
}
