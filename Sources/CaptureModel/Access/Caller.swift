/// Who is at the other end of a connection, and what they may. Who it is stays the same as long as the connection lasts; what a client may can become more.
public struct Caller: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// Nobody asks: a node without access control, or a user of this machine over loopback.
    case trusted
    /// A user of this machine, over a Unix socket.
    case user(UInt32)
    /// A client that gave its credential.
    case client
    /// A connection that said nothing.
    case unknown
  }

  public var kind: Kind
  /// The name of a client; "root" or "user 1000".
  public var name: String
  /// `nil`: it may do nothing.
  public var role: AccessRole?
  /// When that ends, in seconds of UTC since 1970; `nil`: never.
  public var expires: Int64?
  public var isEncrypted = false
  /// The cameras that are there for it.
  public var cameras = CameraScope.every

  public init(_ kind: Kind, name: String, role: AccessRole?, expires: Int64? = nil) {
    (self.kind, self.name, self.role, self.expires) = (kind, name, role, expires)
  }

  public static let trusted = Caller(.trusted, name: "", role: .admin)
  public static let unknown = Caller(.unknown, name: "", role: nil)

  public var isKnown: Bool { role != nil }
}
