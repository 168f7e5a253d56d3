/// A client that has asked for more than it may.
public struct PendingAccess: Hashable, Sendable {
  /// Its name.
  public var client: String
  /// The request's number. A newer request of the same client takes its place, and has another number.
  public var number: UInt64
  /// The SHA-256 of the client's secret, in 64 digits, as `RemoteNode.fingerprint` is at the client. Empty: the node is older.
  public var fingerprint: String
  /// The role that the client has.
  public var role: AccessRole
  /// Patterns of the identities of the cameras that it sees; empty: every camera.
  public var cameras: [String]
  /// Its grants: what it may do. ``role`` is the highest of their roles, and ``cameras`` has the cameras of all.
  public var grants: [AccessGrant]
  /// The grants that it will have once the request is approved.
  public var approved: [AccessGrant]
  /// What it asks for.
  public var wanted: WantedAccess
  /// The cameras of the node that it does not see, and would.
  public var devices: [CameraID]
  /// The address from which it has asked.
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
