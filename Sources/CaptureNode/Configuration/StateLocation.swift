/// Where a node keeps what clients set.
public enum StateLocation: Hashable, Sendable {
  /// In `$STATE_DIRECTORY`, which systemd sets, else where a user's programs keep their state.
  case usual
  /// Nowhere: the next start begins without.
  case none
  case file(String)

  /// As a person writes it: "none", or a path. `nil` for an empty one.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self = text == "none" ? .none : .file(text)
  }

  /// The file; `nil`: none, or nobody says where.
  public func path(environment: (String) -> String?) -> String? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    switch self {
    case .none: return nil
    case .file(let path): return path
    case .usual:
      // systemd lists several, separated by colons, where a unit has several.
      if let folder = folder("STATE_DIRECTORY") { return "\(folder.prefix { $0 != ":" })/state.json" }
      if let folder = folder("XDG_STATE_HOME") { return "\(folder)/remote-capture/state.json" }
      return folder("HOME").map { "\($0)/.local/state/remote-capture/state.json" }
    }
  }
}
