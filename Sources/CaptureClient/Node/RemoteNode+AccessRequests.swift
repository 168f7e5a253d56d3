public import CaptureModel
internal import CaptureWire

extension RemoteNode {
  /// The requests that nobody has decided, the oldest first. For an admin.
  /// Throws `permissionDenied` for others.
  public func accessRequests() async throws(CaptureError) -> [CaptureModel.PendingAccess] {
    try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).pending(PendingAccessRequest(), options: callOptions)
        .requests.map(\.model)
    }
  }

  /// Gives a client what it has asked for, besides what it has, from its next call on. Returns what it may now. For an admin.
  ///
  /// `number`: of the request that is meant; `nil`: whichever it is. Throws `notFound` for a client that is not there any more, and `failedPrecondition`
  /// where it has no request, or another one.
  @discardableResult
  public func approveAccess(
    of client: String, number: UInt64? = nil
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    try await decide(client, number, approves: true)
  }

  /// Denies a client what it has asked for. It may ask again after an hour. Returns what it may, and throws, as ``approveAccess(of:number:)`` does. For
  /// an admin.
  @discardableResult
  public func denyAccess(
    of client: String, number: UInt64? = nil
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    try await decide(client, number, approves: false)
  }

  private func decide(
    _ client: String, _ number: UInt64?, approves: Bool
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    let answer = try await convertingErrors { () async throws(RPCError) in
      try await AccessClient(connection).decide(
        DecideAccessRequest(client: client, approve: approves, number: number ?? 0), options: callOptions)
    }
    return (answer.role.model ?? .view, answer.cameras, answer.grants.compactMap(\.model))
  }
}
