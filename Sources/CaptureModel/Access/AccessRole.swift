/// What somebody may do with a node's cameras. Each role includes those before it.
public enum AccessRole: String, CaseIterable, Hashable, Sendable, Comparable {
  /// List, see frames, watch, and take photos that change nothing.
  case view
  /// Change settings and sessions, hold leases, use the flash.
  case control
  /// Pair clients, and revoke them.
  case admin

  public static func < (a: AccessRole, b: AccessRole) -> Bool { a.rank < b.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self)! }
}
