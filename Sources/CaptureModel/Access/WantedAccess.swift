/// What a client has asked for.
public struct WantedAccess: Hashable, Sendable {
  /// `nil`: the one that it has.
  public var role: AccessRole?
  /// Patterns of the identities of cameras besides those that it sees.
  public var cameras: [String]
  /// Empty: those that it has.
  public var media: Set<AccessMedium>
  /// When, in seconds of UTC since 1970.
  public var asked: Int64

  package init(role: AccessRole?, cameras: [String], media: Set<AccessMedium>, asked: Int64) {
    (self.role, self.cameras, self.media, self.asked) = (role, cameras, media, asked)
  }
}
