/// A client's request for more access, which nobody has decided yet.
public struct PendingAccess: Hashable, Sendable {
  /// The client's name.
  public var client: String
  /// The request's number. A newer request of the same client replaces this one, and has another number.
  public var number: UInt64
  /// The SHA-256 of the client's secret, in 64 digits, which is `RemoteNode.fingerprint` at the client. Empty: the node is too old to send it.
  public var fingerprint: String
  /// The role that the client has.
  public var role: AccessRole
  /// Patterns of the identities of the cameras that the client sees; empty: every camera.
  public var cameras: [String]
  /// The client's grants: what it may do. ``role`` is the highest of their roles, and ``cameras`` has the cameras of all.
  public var grants: [AccessGrant]
  /// The grants that the client will have once the request is approved.
  public var approved: [AccessGrant]
  /// What the client asks for.
  public var wanted: WantedAccess
  /// The node's cameras that the client does not see now, but would see once the request is approved.
  public var devices: [CameraID]
  /// The address from which the client has asked.
  public var peer: String

  package init(
    client: String, number: UInt64, fingerprint: String, role: AccessRole, cameras: [String],
    grants: [AccessGrant], approved: [AccessGrant], wanted: WantedAccess, devices: [CameraID], peer: String
  ) {
    (self.client, self.number, self.fingerprint) = (client, number, fingerprint)
    (self.role, self.cameras, self.grants, self.approved) = (role, cameras, grants, approved)
    (self.wanted, self.devices, self.peer) = (wanted, devices, peer)
  }
}
