/// Which calls an audit writes down.
public enum AuditExtent: String, CaseIterable, Hashable, Sendable {
  case none
  /// Calls that change something, take pictures, or read stored pictures, and calls that were refused.
  case changes
  case all
}
