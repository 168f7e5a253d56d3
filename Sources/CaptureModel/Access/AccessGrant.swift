/// What of cameras somebody may use.
public enum AccessMedium: String, CaseIterable, Hashable, Sendable {
  /// The cameras themselves: their pictures as they are taken, their settings and sessions.
  case video
  /// Pictures that the node keeps.
  case library
}

/// A role for some cameras and media.
public struct AccessGrant: Hashable, Sendable {
  /// What may be done with them.
  public var role: AccessRole
  /// Which cameras.
  public var cameras: CameraScope
  /// What of those cameras: one medium at least.
  public var media: Set<AccessMedium>

  /// Makes a role for some cameras and media; without them for each.
  public init(
    _ role: AccessRole, cameras: CameraScope = .every, media: Set<AccessMedium> = Set(AccessMedium.allCases)
  ) {
    (self.role, self.cameras, self.media) = (role, cameras, media)
  }

  /// The most of one client.
  public static let most = NodeLimit.grantsPerClient.usual

  /// Whether it gives all that `other` does, as far as the texts of patterns can say.
  func covers(_ other: AccessGrant) -> Bool {
    role >= other.role && media.isSuperset(of: other.media) && cameras.covers(other.cameras)
  }
}
