/// What a node lets a program do.
public struct Authorization: Hashable, Sendable {
  /// Whether the program may do what the node was asked about.
  public var status: AuthorizationStatus
  /// Why, for a person.
  public var reason: String
  /// What the node calls this program; empty: it is no client.
  public var client = ""
  /// `nil`: it may do nothing.
  public var role: AccessRole?
  /// Patterns of the identities of the cameras that it sees; empty: every camera.
  public var cameras: [String] = []
  /// Its grants: what it may do. ``role`` is the highest of their roles, and ``cameras`` has the cameras of all. Empty: it may do nothing, or the node is too
  /// old for grants.
  public var grants: [AccessGrant] = []
  /// The access that it has asked for, while nobody has decided.
  public var wanted: WantedAccess?
  /// When its request was denied, in seconds of UTC since 1970; `nil`: no request was denied within the last hour.
  public var denied: Int64?
  /// How long it has to wait before it may ask again.
  public var untilNextRequest = Duration.zero

  package init(_ status: AuthorizationStatus, _ reason: String) {
    (self.status, self.reason) = (status, reason)
  }
}
