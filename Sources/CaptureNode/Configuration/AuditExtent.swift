/// Which calls an audit writes down.
public enum AuditExtent: String, CaseIterable, Hashable, Sendable {
  case none
  /// Those that change something, that take pictures, and that were refused.
  case changes
  case all
}
