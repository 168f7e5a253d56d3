/// What a client has asked for.
public struct WantedAccess: Hashable, Sendable {
  /// The role; `nil`: the one that the client has.
  public var role: AccessRole?
  /// Patterns of the identities of cameras that the client wants to see besides those that it sees.
  public var cameras: [String]
  /// The media; empty: those that the client has.
  public var media: Set<AccessMedium>
  /// When the client asked, in seconds of UTC since 1970.
  public var asked: Int64

  package init(role: AccessRole?, cameras: [String], media: Set<AccessMedium>, asked: Int64) {
    (self.role, self.cameras, self.media, self.asked) = (role, cameras, media, asked)
  }
}
