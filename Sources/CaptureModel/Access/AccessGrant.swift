/// What a grant gives access to: cameras as they run, or the pictures that the node has kept of them.
public enum AccessMedium: String, CaseIterable, Hashable, Sendable {
  /// The cameras themselves: their pictures as they are taken, their settings and sessions.
  case video
  /// Pictures that the node keeps.
  case library
}

/// A role for some cameras and media.
public struct AccessGrant: Hashable, Sendable {
  /// What may be done with the cameras.
  public var role: AccessRole
  /// Which cameras.
  public var cameras: CameraScope
  /// The media of those cameras, at least one.
  public var media: Set<AccessMedium>

  /// Makes a grant. Where cameras or media are left out, it is for all of them.
  public init(
    _ role: AccessRole, cameras: CameraScope = .every, media: Set<AccessMedium> = Set(AccessMedium.allCases)
  ) {
    (self.role, self.cameras, self.media) = (role, cameras, media)
  }

  /// How many grants a client may have at most.
  public static let most = NodeLimit.grantsPerClient.usual

  /// Whether this grant gives all that `other` does. Patterns are compared as texts: `false` also where that cannot decide.
  func covers(_ other: AccessGrant) -> Bool {
    role >= other.role && media.isSuperset(of: other.media) && cameras.covers(other.cameras)
  }
}
