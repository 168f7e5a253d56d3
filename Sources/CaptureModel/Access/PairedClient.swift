/// A client of a node.
public struct PairedClient: Hashable, Sendable {
  /// The name that it was paired by.
  public var name: String
  /// The SHA-256 of its secret in 64 digits, which is `RemoteNode.fingerprint` at the client. Empty: the node is too old to send it.
  public var fingerprint: String
  /// The role: "view", "control" or "admin".
  public var role: String
  /// When its rights end, in seconds of UTC since 1970; 0: never.
  public var expires: Int64
  /// Patterns of the identities of the cameras that it sees; empty: every camera.
  public var cameras: [String]
  /// Its grants: what it may do. ``role`` is the highest of their roles, and ``cameras`` has the cameras of all. Empty: the node is too old for
  /// grants.
  public var grants: [AccessGrant]
  /// The addresses of its connections.
  public var peers: [String]

  package init(
    name: String, fingerprint: String, role: String, expires: Int64, cameras: [String], grants: [AccessGrant],
    peers: [String]
  ) {
    (self.name, self.fingerprint, self.role, self.expires) = (name, fingerprint, role, expires)
    (self.cameras, self.grants, self.peers) = (cameras, grants, peers)
  }
}
