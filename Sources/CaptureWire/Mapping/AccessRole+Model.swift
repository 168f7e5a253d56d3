package import CaptureModel

extension Role {
  package init(_ role: AccessRole) {
    self =
      switch role {
      case .view: .view
      case .control: .control
      case .admin: .admin
      }
  }
}

extension AccessRole {
  /// `nil`: unspecified, or a role that this version does not know.
  package init?(_ role: Role) {
    switch role {
    case .view: self = .view
    case .control: self = .control
    case .admin: self = .admin
    default: return nil
    }
  }
}
