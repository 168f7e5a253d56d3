package import CaptureModel

extension Medium {
  package init(_ medium: AccessMedium) {
    self =
      switch medium {
      case .video: .video
      case .library: .library
      }
  }
}

extension AccessMedium {
  /// `nil`: unspecified, or a medium that this version does not know.
  package init?(_ medium: Medium) {
    switch medium {
    case .video: self = .video
    case .library: self = .library
    default: return nil
    }
  }
}

extension Grant {
  package init(_ grant: AccessGrant) {
    self.init(
      role: Role(grant.role), cameras: grant.cameras.patterns,
      media: AccessMedium.allCases.filter(grant.media.contains).map { Medium($0) })
  }
}

extension AccessGrant {
  /// As an answer has it. `nil`: of a role, or of media alone, that this version does not know.
  package init?(_ grant: Grant) {
    let media = grant.media.compactMap { AccessMedium($0) }
    guard let role = AccessRole(grant.role), grant.media.isEmpty || !media.isEmpty else { return nil }
    self.init(
      role, cameras: CameraScope(grant.cameras), media: Set(media.isEmpty ? AccessMedium.allCases : media))
  }
}
