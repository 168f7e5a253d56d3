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

  /// Gives a client the access that it has asked for, in addition to what it has, from its next call on. Returns all that the client may do now. For
  /// an admin.
  ///
  /// `number`: the request's number; `nil`: whichever request the client has. Throws `notFound` for a client that the node does not know any more,
  /// and `failedPrecondition` where the client has no request, or one of another number.
  @discardableResult
  public func approveAccess(
    of client: String, number: UInt64? = nil
  ) async throws(CaptureError) -> (role: AccessRole, cameras: [String], grants: [AccessGrant]) {
    try await decide(client, number, approves: true)
  }

  /// Denies a client the access that it has asked for. The client may ask again after an hour. Returns and throws the same as
  /// ``approveAccess(of:number:)``. For an admin.
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
