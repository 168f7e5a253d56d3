/// What of cameras somebody may use.
public enum AccessMedium: String, CaseIterable, Hashable, Sendable {
  /// The cameras themselves: their pictures as they are taken, their settings and sessions.
  case video
  /// Pictures that the node keeps.
  case library
}

/// A role for some cameras and media.
public struct AccessGrant: Hashable, Sendable {
  public var role: AccessRole
  public var cameras: CameraScope
  public var media: Set<AccessMedium>

  public init(
    _ role: AccessRole, cameras: CameraScope = .every, media: Set<AccessMedium> = Set(AccessMedium.allCases)
  ) {
    (self.role, self.cameras, self.media) = (role, cameras, media)
  }

  /// The most of one client.
  public static let most = 8
}

extension [AccessGrant] {
  /// The highest role of all.
  public var role: AccessRole? { map(\.role).max() }

  /// The cameras of all.
  public var cameras: CameraScope {
    contains(where: \.cameras.isEvery) ? .every : CameraScope(flatMap(\.cameras.patterns))
  }

  /// Those for a medium; `nil`: for any.
  func of(_ medium: AccessMedium?) -> [AccessGrant] {
    filter { grant in medium.map(grant.media.contains) ?? true }
  }
}
