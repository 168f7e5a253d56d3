/// Who is at the other end of a connection, and what they may do. A caller's identity stays the same as long as the connection lasts; a client's
/// rights can grow.
public struct Caller: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The node does not ask who the caller is: the node has no access control, or the caller is a user of this machine over loopback.
    case trusted
    /// A user of this machine, over a Unix socket.
    case user(UInt32)
    /// A client that gave its credential.
    case client
    /// The other end of a connection has not said who it is.
    case unknown
  }

  public var kind: Kind
  /// The name of a client, or of a user: "root" or "user 1000".
  public var name: String
  /// `nil`: it may do nothing.
  public var role: AccessRole?
  /// When its rights end, in seconds of UTC since 1970; `nil`: never.
  public var expires: Int64?
  public var isEncrypted = false
  /// The cameras that the caller sees; within a call, only those for which it may make that call.
  public var cameras = CameraScope.every
  /// Its grants, unless it has one role for all its cameras and media. ``role`` is then the highest of their roles, and ``cameras`` has the cameras
  /// of all. Empty: it has one role.
  public var grants: [AccessGrant] = []
  private var seen: CameraScope?

  /// The cameras that the caller sees; within a call, also those for which it may not make that call.
  public var visible: CameraScope { seen ?? cameras }

  public init(_ kind: Kind, name: String, role: AccessRole?, expires: Int64? = nil) {
    (self.kind, self.name, self.role, self.expires) = (kind, name, role, expires)
  }

  public static let trusted = Caller(.trusted, name: "", role: .admin)
  public static let unknown = Caller(.unknown, name: "", role: nil)

  public var isKnown: Bool { role != nil }

  /// The caller with these grants, at least one.
  public func having(_ grants: [AccessGrant]) -> Caller {
    precondition(!grants.isEmpty, "a caller is given at least one grant")
    var caller = self
    (caller.role, caller.cameras, caller.grants) = (grants.role, grants.cameras!, grants)
    // The cameras that were seen within an earlier call no longer count.
    caller.seen = nil
    return caller
  }

  /// Its grants. If it has only a role: one grant of that role for its cameras.
  public var allGrants: [AccessGrant] {
    grants.isEmpty ? role.map { [AccessGrant($0, cameras: cameras)] } ?? [] : grants
  }

  /// The highest role that it has for a medium, or for any medium if that is `nil`. Returns `nil` if it has no role.
  public func role(in medium: AccessMedium?) -> AccessRole? {
    grants.isEmpty ? role : grants.of(medium).role
  }

  /// The caller with only those cameras for which it has the role that a call needs; `nil`: there is no such camera.
  public func withCameras(for needed: AccessRole, in medium: AccessMedium?) -> Caller? {
    guard !grants.isEmpty else { return role.map { $0 >= needed } ?? false ? self : nil }
    let own = grants.of(medium)
    guard let cameras = own.filter({ $0.role >= needed }).cameras else { return nil }
    var caller = self
    (caller.cameras, caller.seen) = (cameras, own.cameras)
    return caller
  }

  /// The caller with the cameras that it sees in a medium, which may be none.
  public func withCamerasSeen(in medium: AccessMedium) -> Caller {
    if let caller = withCameras(for: .view, in: medium) { return caller }
    var caller = self
    (caller.cameras, caller.seen) = (.noCamera, nil)
    return caller
  }
}
